// What a class needs around the player: questions, links and the projector view. It stands between the one state and the views.
import { el, svg } from "../dom.js";
import { makeAsking } from "./asking.js";
import { makeBars } from "./bars.js";
import { makeCopy } from "./copy.js";
import { makeAddress } from "./address.js";
import { makeProjector } from "./projector.js";
import { makeQuestion } from "./question.js";

const ICONS = {
  "present": "M1 2h14v9H9v1.2l2.5 2.3H4.5L7 12.2V11H1zm1.5 1.5v6h11v-6z",
  "ask": "M8 1a7 7 0 1 0 3.6 13L15 15l-1-3.4A7 7 0 0 0 8 1zM7.2 11h1.7v1.6H7.2zM8 3.6c1.6 0 2.7 1 2.7 2.4 0 1.9-1.9 2-1.9 3.8H7.2c0-2.4 1.9-2.5 1.9-3.7 0-.6-.4-1-1.1-1-.8 0-1.2.5-1.3 1.3H5.2C5.3 4.7 6.4 3.6 8 3.6z",
  "copy": "M6.6 9.4a2.5 2.5 0 0 0 3.5 0l3-3a2.5 2.5 0 0 0-3.5-3.5L8 4.5l1 1 1.6-1.6a1.1 1.1 0 0 1 1.5 1.5l-3 3a1.1 1.1 0 0 1-1.5 0zM9.4 6.6a2.5 2.5 0 0 0-3.5 0l-3 3a2.5 2.5 0 0 0 3.5 3.5L8 11.5l-1-1-1.6 1.6a1.1 1.1 0 0 1-1.5-1.5l3-3a1.1 1.1 0 0 1 1.5 0z",
};

export function makeClassroom(store, model, root, travel, report) {
  for (const tool in ICONS) root.querySelector("[data-tool=help]").before(toolButton(tool));
  const asking = makeAsking(store, model, travel), seen = new WeakMap();
  const see = state => {
    if (state && !seen.has(state)) seen.set(state, asking.seen(state));
    return state && seen.get(state);
  };
  const address = makeAddress(store, model, report), copying = makeCopy(store, model, root, address);
  const projector = makeProjector(store, model, root);
  travel.keys = {
    p: projector.toggle, q: asking.toggle, k: copying.copy, l: projector.language, w: projector.why,
    o: () => store.set({ open: store.state.open === "overview" ? null : "overview", playing: false }),
  };
  keepStill(store, root);
  return {
    see,
    store: { get state() { return see(store.state); }, set: store.set },
    views: [projector, makeBars(store, model, root), makeQuestion(store, model, root, travel, asking), copying, address],
  };
}

// An answer moves the figure under a pointer that rests; what comes to lie there explains itself only when that moves.
function keepStill(store, root) {
  let still = false;
  store.subscribe((before, now) => still ||= before.answers !== now.answers);
  root.addEventListener("pointerover", event => still && event.stopPropagation(), true);
  root.addEventListener("pointermove", ({ movementX, movementY }) => still &&= !movementX && !movementY, true);
}

const toolButton = tool => el("button", { type: "button", class: "rv-tool", data: { tool, name: "player." + tool } },
  svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[tool], "fill-rule": "evenodd" })));
