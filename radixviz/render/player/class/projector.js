// The projector view (`present` of the state): for the last row of a room. Few things, large; all the rest is on the keys.
// The tree is drawn on a scale of its own, whose boxes say less (`far` in the data), and two bars stand for strip and pages.
import { el, put, write } from "../dom.js";
import { spoken } from "../sentence.js";
import { LANGUAGES } from "./address.js";

const NEXT = { en: "zh", zh: "both", both: "en" };
const nextOf = ({ lang, both }) => NEXT[both ? "both" : lang];

export function makeProjector(store, model, root) {
  const { view, panels } = model, known = new WeakMap();
  const second = root.querySelector(".rv-sentence").insertAdjacentElement("afterend", el("p", { class: "rv-second", lang: "en" }));
  const [button, speech] = ["present", "language"].map(tool => root.querySelector(`[data-tool=${tool}]`));
  model.view = index => store.state.present ? kept(view(index), far) : view(index);
  model.panels = state => state.present ? new Set() : panels(state);

  function kept(thing, make) {
    if (!known.has(thing)) known.set(thing, make(thing));
    return known.get(thing);
  }
  function far(near) {
    if (!near.frame) return near;
    const boxes = near.boxes.map(box => kept(box, () => ({ ...box, ...box.far })));
    return { ...near, scale: { ...near.scale.far, held: "" }, boxes, byKey: new Map(boxes.map(box => [box.key, box])) };
  }
  const mark = ({ present, both, why }) => put(root, "data", { view: present ? "present" : "near", both, why });
  mark(store.state);
  store.subscribe((_, now) => mark(now));       // before the views draw: they measure the room that this gives them
  const toggle = () => store.set({ present: !store.state.present, selected: null, playing: false });
  const language = () => store.set(LANGUAGES[nextOf(store.state)]);
  button.onclick = toggle;
  speech.onclick = language;
  return {
    toggle, language,
    why: () => store.set({ why: !store.state.why }),
    update(before, now) {
      const { frame, lang, both } = now;
      put(button, "aria-pressed", String(now.present));
      if (before && before.frame === frame && before.lang === lang && before.both === both) return;
      write(speech, model.say(lang, "lang." + nextOf(now)));
      const { intro, frame: shown } = model.view(frame);
      second.replaceChildren(...(!both ? [] : intro ? [intro.say.en] : shown.told.en.say.map(spoken)));
    },
  };
}
