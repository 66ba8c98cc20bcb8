// The address says what is shown. A step replaces the history's entry, a stage adds one, and Back goes there.
//   stage, frame (within it, from 1), lang (en, zh or both), ask=0 where nothing is asked, present=1 in the projector view
// A file of its own (state `hash`) says it behind the #, which a browser lets a file change, and reads it at the start.
const ADDRESS_MS = 300;      // browsers refuse more than a few changes a second
// What the address calls a language, and what that is in the state.
export const LANGUAGES = { en: { lang: "en", both: false }, zh: { lang: "zh", both: false }, both: { lang: "zh", both: true } };
const MOST = 1e6;            // more stages than there are

export function makeAddress(store, model, report) {
  let timer = 0;
  let written = null;        // the stage of the history's entry
  let seen = null;           // the state at the last update
  const { hash } = store.state;
  const said = address => hash ? new URLSearchParams(address.hash.slice(1)) : address.searchParams;
  const link = () => {
    const address = new URL(location.href), params = said(address), shown = parametersOf(model, store.state);
    for (const name in shown) params.delete(name);
    for (const name in shown) if (shown[name] !== null) params.set(name, shown[name]);
    if (hash) address.hash = params;
    return address.href;
  };
  const write = () => {
    const { stage } = model.view(store.state.frame), target = link();
    clearTimeout(timer);
    if (target !== location.href) history[written === stage ? "replaceState" : "pushState"](history.state, "", target);
    written = stage;
    report(store.state);
  };
  const read = () => {
    const found = land(model, store.state, said(new URL(location.href)));
    written = model.view(found.frame).stage;
    store.set({ ...found, playing: false });
  };
  if (hash && location.hash.length > 1) read();
  addEventListener("popstate", read);
  return {
    link,
    update(_, now) {                // its own memory: to the other views a change of the projector view is a first show
      if (!seen) written = model.view(now.frame).stage;
      else if (["frame", "lang", "both", "ask", "present"].some(name => seen[name] !== now[name])) {
        clearTimeout(timer);
        timer = setTimeout(write, ADDRESS_MS);
      }
      seen = now;
    },
    leave() {
      clearTimeout(timer);
      removeEventListener("popstate", read);
    },
  };
}

// What the address says of a state; null is left out.
function parametersOf(model, { frame, lang, both, ask, present }) {
  const { stage, n } = model.view(frame);
  return { ...(model.data.frames.length && { stage, frame: n }), lang: both ? "both" : lang, ask: ask ? null : "0", present: present ? "1" : null };
}

// The state that an address asks for, or the nearest one there is with a word about it, as radixviz/ui/position.py does.
function land(model, state, asked) {
  const notices = { en: [], zh: [] };
  const tell = (key, values) => Object.keys(notices).forEach(lang => notices[lang].push(model.say(lang, key, values)));
  const wanted = name => asked.get(name), lang = wanted("lang");
  if (lang !== null && !(lang in LANGUAGES)) tell("notice.lang", { asked: lang });
  const flag = (name, usual) => {
    if (![null, "0", "1"].includes(wanted(name))) tell("notice.switch", { name, asked: wanted(name) });
    return { 0: false, 1: true }[wanted(name)] ?? usual;
  };
  return {
    ...languageOf(state, lang), ask: flag("ask", true), present: flag("present", false),
    frame: frameOf(model, wanted("stage"), wanted("frame"), tell), notices: notices.en.length ? notices : null,
  };
}

const languageOf = ({ lang, both }, asked) => LANGUAGES[asked] ?? { lang, both };

function frameOf(model, stage, frame, tell) {
  const known = [...(model.data.intro ? [{ stage: 0, first: -1, frames: 1 }] : []), ...model.data.stages.filter(info => info.frames)];
  const exact = stage === null ? known[0] : known.find(info => String(info.stage) === stage);
  const number = /^\s*[-+]?\d+\s*$/.test(stage) ? Math.min(Number(stage), MOST) : 0;
  const far = one => Math.abs(one.stage - number);
  const info = exact ?? known.filter(one => one.stage !== "encore").reduce((best, one) => far(one) < far(best) ? one : best);
  if (!exact) tell("notice.stage", { asked: stage, shown: info.stage });
  const n = exact && frame !== null ? Math.min(Math.max(Math.trunc(Number(frame)) || 1, 1), info.frames) : 1;
  if (exact && frame !== null && frame !== String(n)) tell("notice.frame", { asked: frame, shown: n, frames: info.frames });
  return info.first + n - 1;
}
