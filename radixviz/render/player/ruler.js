// The head of the player: a ruler of the stages that is a scrubber too, and the buttons.
import { el, put, write } from "./dom.js";
import { when } from "./life.js";
import { named } from "./sentence.js";

export function makeRuler(store, model, root, travel) {
  const { intro, stages } = model.data;
  const columns = [...(intro ? [{ ...intro, stage: 0, mark: "0", first: -1, frames: 1, stops: [] }] : []), ...stages].map(info => {
    const fill = el("i", { class: "rv-fill" });
    const stops = info.stops.map(frame => el("i", { class: "rv-stop", style: `left:${100 * (frame - info.first + 1) / info.frames}%` }));
    const label = el("button", { type: "button", data: { stage: info.stage }, disabled: !info.frames, onclick: () => travel.go(info.first) });
    return { info, fill, label, track: el("div", {}, fill, stops) };
  });
  const [scrub, labels] = root.querySelectorAll(".rv-scrub, .rv-labels");
  scrub.append(...columns.map(one => one.track));
  labels.append(...columns.map(one => one.label));
  put(scrub, "aria-valuemax", model.last - model.first + 1);
  const toggle = open => () => store.set({ open: store.state.open === open ? null : open, playing: false });
  const acts = {
    first: travel.home, back: () => travel.step(-1), play: travel.play, next: () => travel.step(1), last: travel.end, speed: travel.speed,
    overview: toggle("overview"), expert: () => store.set({ expert: !store.state.expert }), help: toggle("help"),
  };
  const tools = {};
  for (const tool of root.querySelectorAll("[data-tool]")) {
    tools[tool.dataset.tool] = tool;
    tool.onclick ??= acts[tool.dataset.tool];          // some are of others, who were here before
  }
  const [play, pause] = tools.play.children;

  // A press or a drag on the ruler goes to the frame that lies there.
  const seek = ({ clientX }) => {
    const { info, track } = columns.findLast(one => one.track.getBoundingClientRect().left <= clientX) ?? columns[0];
    const { left, width } = track.getBoundingClientRect();
    const place = Math.ceil(info.frames * (clientX - left) / width) - 1;
    if (info.frames) travel.go(info.first + Math.min(Math.max(place, 0), info.frames - 1));
  };
  scrub.onpointerdown = event => {
    scrub.setPointerCapture(event.pointerId);
    seek(event);
  };
  scrub.onpointermove = event => { if (scrub.hasPointerCapture(event.pointerId)) seek(event); };

  return {
    update(before, now) {
      const { frame, lang, playing } = now;
      put(play, "hidden", playing);
      put(pause, "hidden", !playing);
      named(tools.play, model.say(lang, playing ? "player.pause" : "player.play"));
      put(tools.expert, "aria-pressed", String(now.expert));
      write(tools.speed, now.speed + "×");
      if (before && before.frame === frame && before.lang === lang) return;
      const view = model.view(frame);
      const at = view.stageIndex + (intro ? 1 : 0);
      columns.forEach(({ info, track, label }, index) => {
        put(track, "class", "rv-track rv-" + when(index, at));
        put(label, "class", "rv-label rv-" + when(index, at));
        put(label, "aria-current", index === at && "step");
        if (before?.lang === lang) return;
        label.replaceChildren(el("b", {}, info.mark), " ", el("span", {}, info.short[lang]));
        put(label, "title", info.title[lang]);
      });
      columns[at].fill.style.transform = `scaleX(${view.n / view.of})`;
      put(scrub, "aria-valuenow", Math.ceil(frame) - model.first + 1);
      put(scrub, "aria-valuetext", view.place[lang]);
      for (const key of ["first", "back"]) put(tools[key], "aria-disabled", frame <= model.first && "true");
      for (const key of ["next", "last"]) put(tools[key], "aria-disabled", frame >= model.last && "true");
    },
  };
}
