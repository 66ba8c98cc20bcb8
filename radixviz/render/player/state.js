// The one state that changes; everything that is shown follows from it and from the data.
//   frame     index in data.frames; -1 is the introduction
//   lang      "en" or "zh"; both: the other one too
//   selected  null, or what was clicked; hover the same for the pointer (see link.js)
//   expert    all panels at once
//   playing, speed (0.5, 1, 2)
//   open      null, "help" or "overview"
//   hash      whether the address is kept behind the #
//   opened    whether a file is shown that the reader has opened: its link opens the live tour
//   ask, answers  see class/asking.js; present: the projector view, see class/projector.js
//   notices   null, or {en, zh}: what is said about an address that asked for something that is not
export function makeStore(start) {
  const listeners = new Set();
  let state = { frame: -1, lang: "en", both: false, selected: null, hover: null, expert: false, playing: false, speed: 1, open: null, hash: false, opened: false, notices: null, ask: true, answers: {}, present: false, why: false, ...start };
  return {
    get state() { return state; },
    set(patch) {
      if (Object.keys(patch).every(key => state[key] === patch[key])) return;
      const before = state;
      state = { ...state, ...patch };
      for (const listener of listeners) listener(before, state);
    },
    subscribe: listener => listeners.add(listener),
  };
}
