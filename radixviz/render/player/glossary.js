// The glossary: whatever carries data-term explains itself to the pointer, to the focus and to a click.
import { el, put } from "./dom.js";

export function makeGlossary(store, model, root) {
  const tip = root.querySelector(".rv-tip");
  let shown = null;
  const show = target => {
    if (target === shown) return;
    if (shown) put(shown, "aria-describedby", null);
    shown = target;
    tip.hidden = !target;
    if (!target) return;
    put(target, "aria-describedby", tip.id);
    tip.replaceChildren(el("b", { class: target.className.match(/rv-role-\w+/)?.[0] }, target.textContent), " ", model.say(store.state.lang, target.dataset.term + ".help"));
    const frame = root.getBoundingClientRect(), spot = target.getBoundingClientRect();
    const above = spot.top - frame.top - tip.offsetHeight - 6;
    tip.style.left = Math.min(Math.max(spot.left - frame.left, 4), frame.width - tip.offsetWidth - 4) + "px";
    tip.style.top = (spot.bottom + tip.offsetHeight + 8 > innerHeight && above > 0 ? above : spot.bottom - frame.top + 6) + "px";
  };
  for (const type of ["pointerover", "focusin", "click"]) root.addEventListener(type, event => show(event.target.closest("[data-term]")));
  for (const type of ["pointerleave", "focusout"]) root.addEventListener(type, () => show(null));
  return {
    update(before, now) { if (before && (before.frame !== now.frame || before.lang !== now.lang)) show(null); },
    close() {
      const was = shown;
      show(null);
      return was;
    },
  };
}
