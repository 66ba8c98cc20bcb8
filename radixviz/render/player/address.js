// The address says what is shown: stage, frame within it, lang. A step replaces the history's entry, a stage adds one.
// A file of its own (state `hash`) says it behind the #, which a browser lets a file change, and reads it at the start.
const ADDRESS_MS = 300;      // browsers refuse more than a few changes a second

export function makeAddress(store, model, report) {
  let timer = 0;
  let written = null;        // the stage of the history's entry
  const { hash } = store.state;
  const said = address => hash ? new URLSearchParams(address.hash.slice(1)) : address.searchParams;
  const write = () => {
    const { frame, lang } = store.state;
    const { stage, n } = model.view(frame);
    const address = new URL(location.href), params = said(address);
    const shown = model.data.frames.length ? { stage, frame: n, lang } : { lang };
    for (const name in shown) params.set(name, shown[name]);
    if (hash) address.hash = params;
    if (address.href !== location.href) history[written === stage ? "replaceState" : "pushState"](history.state, "", address);
    written = stage;
    report(store.state);
  };
  const read = () => {
    const asked = said(new URL(location.href));
    const info = model.data.stages.find(one => String(one.stage) === asked.get("stage") && one.frames);
    const frame = info ? info.first + Math.min(Math.max(parseInt(asked.get("frame")) || 1, 1), info.frames) - 1 : model.first;
    written = model.view(frame).stage;
    store.set({ frame, playing: false, lang: asked.get("lang") === "zh" ? "zh" : hash && !asked.get("lang") ? store.state.lang : "en" });
  };
  if (hash && location.hash.length > 1) read();
  addEventListener("popstate", read);
  return {
    update(before, now) {
      if (!before) written = model.view(now.frame).stage;
      else if (before.frame !== now.frame || before.lang !== now.lang) {
        clearTimeout(timer);
        timer = setTimeout(write, ADDRESS_MS);
      }
    },
    leave() {
      clearTimeout(timer);
      removeEventListener("popstate", read);
    },
  };
}
