// The life of a request as a track of phases, the present one lit; eviction is a side track, lit where it happens.
import { put, write } from "./dom.js";

export function makeLife(store, model, root) {
  const steps = [...root.querySelectorAll("[data-phase-step]")], side = root.lastElementChild;
  return {
    update(before, { frame, lang }) {
      if (before && before.frame === frame && before.lang === lang) return;
      const view = model.view(frame);
      const at = view.phase === "done" && view.seqs.length ? steps.length : steps.findIndex(step => step.dataset.phaseStep === view.phase);
      steps.forEach((step, index) => {
        put(step, "class", "rv-term rv-" + when(index, at));
        put(step, "aria-current", index === at && "step");
      });
      const evict = view.frame?.evict;
      put(side, "class", `rv-side-track rv-under-${view.phase}${evict ? "" : " rv-empty"}`);
      put(side, "data", { short: evict?.short, freed: evict?.freed });
      write(side, evict ? model.say(lang, evict.short ? "evict.badge" : "evict.badge.more", evict) : "");
    },
  };
}

// Where a place on a track is, seen from the present one.
export const when = (index, at) => index < at ? "past" : index === at ? "now" : "todo";
