// Called at the first show and again at every change of data or theme: it builds once, and again when the data differ.
import { makeClassroom } from "./class/classroom.js";
import { makeDialogs } from "./dialogs.js";
import { el, put } from "./dom.js";
import { makeGlossary } from "./glossary.js";
import { makeInspector } from "./inspector.js";
import { listenKeys } from "./keys.js";
import { makeLife } from "./life.js";
import { makeModel } from "./model.js";
import { makeNumbers } from "./numbers.js";
import { makePages } from "./pages.js";
import { makeRuler } from "./ruler.js";
import { makeIntro, makeSentence, makeWords } from "./sentence.js";
import { makeStore } from "./state.js";
import { makeStrip } from "./strip.js";
import { makeTravel } from "./travel.js";
import { makeTree } from "./tree.js";

export default function ({ data, parentElement, setStateValue }) {
  const mount = parentElement.querySelector(".rv-mount");
  const before = mount.rvPlayer?.store.state.frame;
  if (mount.rvDigest !== data.digest) {
    const was = mount.rvPlayer;
    was?.leave();
    const root = parentElement.querySelector(".rv-template").content.firstElementChild.cloneNode(true);
    mount.replaceChildren(root);
    mount.rvPlayer = openPlayer(root, JSON.parse(data.player), startOf(was, data.start), setStateValue);
    mount.rvDigest = data.digest;
  }
  put(mount.firstElementChild, "data-theme", themeOf(mount));
  follow(mount, data.awaited, before);
  return () => {
    mount.rvPlayer?.leave();
    mount.rvPlayer = mount.rvDigest = null;
  };
}

// A stage that the reader has asked for is shown once it is there, unless he has stepped elsewhere since: then he stays.
// He waits where he is when his wish is heard, which may be the introduction, where the frames before it have just gone.
function follow(mount, awaited, before) {
  if (!awaited) return;
  const isNew = mount.rvAwaited?.turn !== awaited.turn;
  if (isNew) mount.rvAwaited = { turn: awaited.turn, from: mount.rvPlayer.store.state.frame };
  if (!awaited.is_there || mount.rvAwaited.over) return;
  mount.rvAwaited.over = true;
  if (isNew || mount.rvAwaited.from === before) mount.rvPlayer.show(awaited.stage);
}

// Where to begin: where the reader was, or what the address asked for and only now can be shown.
function startOf(player, start) {
  if (!player) return start;
  const { lang, both, expert, speed, frame, ask, answers, present } = player.store.state;
  return { ...start, lang, both, expert, speed, ask, answers, present, frame: frame < 0 ? start.frame : frame };
}

function openPlayer(root, data, start, setStateValue) {
  const model = makeModel(data);
  const store = makeStore({ ...start, frame: model.clamp(start.frame) });
  const travel = makeTravel(store, model);
  const room = makeClassroom(store, model, root, travel, reporter(setStateValue));
  const make = (maker, place) => maker(room.store, model, place ? root.querySelector(place) : root, travel);
  const glossary = make(makeGlossary);
  const views = [
    { update: (before, now) => nameRoot(root, model, now) },
    make(makeWords), make(makeRuler, ".rv-nav"), make(makeSentence, ".rv-say"), make(makeIntro, ".rv-prompts"), make(makeTree, ".rv-tree"),
    make(makeLife, ".rv-life"), make(makePages, ".rv-pool"), make(makeNumbers, ".rv-numbers"), make(makeStrip, ".rv-strips"),
    make(makeInspector, ".rv-inspector"), glossary, make(makeDialogs), travel, ...room.views,
  ];
  const update = (before, now) => views.forEach(view => view.update(before?.present === now.present ? room.see(before) : null, room.see(now)));
  store.subscribe(update);
  update(null, store.state);
  const deaf = listenKeys(store, travel, root, () => closeTop(store, glossary));
  return {
    store,
    show: travel.open,
    leave() {
      views.forEach(view => view.leave?.());
      deaf();
    },
  };
}

// What tests and the style sheet read off the root.
function nameRoot(root, model, state) {
  const { intro, stage, phase, n, of } = model.view(state.frame);
  put(root, "class", "rv-player" + (intro ? " rv-at-intro" : ""));
  put(root, "lang", state.lang === "zh" ? "zh-Hans" : "en");
  put(root, "data", { stage, phase, frame: n, frames: of, show: [...model.panels(state)].join(" ") });
}

// Closes the topmost of what is open.
function closeTop(store, glossary) {
  const { open, selected } = store.state;
  if (!glossary.close()) store.set({ open: null, selected: open ? selected : null });
}

// Tells the server the absolute frame and the address, each only when it differs from what was told.
function reporter(setStateValue) {
  const told = {};
  return ({ frame }) => {
    const now = { frame, address: location.search };
    for (const name in now) if (told[name] !== now[name]) setStateValue(name, told[name] = now[name]);
  };
}

function themeOf(mount) {
  const probe = mount.appendChild(el("i", { style: "color:var(--st-background-color,#fff)" }));
  const [red, green, blue] = getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
  probe.remove();
  return red + green + blue < 384 ? "dark" : "light";
}
