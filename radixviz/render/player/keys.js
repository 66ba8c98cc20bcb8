// The keys. They are heard at the window, so they work from the first paint on and wherever the focus is, except in text
// fields and in widgets of others that use them. c and r are Streamlit's own.
const WIDGETS = ["slider", "spinbutton", "combobox", "listbox", "option", "menuitem", "radio", "tab", "textbox", "grid", "dialog"];
const PRESSED = "button, a, summary, input, [role=button], [role=checkbox], [role=switch], [role=treeitem]";

export function listenKeys(store, travel, root, closeTop) {
  const listen = event => {
    const path = event.composedPath();
    const target = path[0].closest ? path[0] : document.body;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTextField(target)) return;
    if (!path.includes(root) && target.closest(WIDGETS.map(role => `[role=${role}]`).join())) return;
    if (event.key === " " && target.closest(PRESSED)) return;
    const act = actionOf(event);
    if (!act) return;
    act();
    event.preventDefault();
  };
  const actionOf = ({ key, shiftKey }) => {
    const go = shiftKey ? travel.stage : travel.step;
    if (/^[0-9]$/.test(key)) return () => travel.open(Number(key));
    return {
      ArrowRight: () => go(1), ArrowLeft: () => go(-1), PageDown: () => travel.stop(1), PageUp: () => travel.stop(-1),
      Home: travel.home, End: travel.end, " ": travel.play, Escape: closeTop,
      "?": () => store.set({ open: store.state.open === "help" ? null : "help", playing: false }),
    }[key] ?? travel.keys[key.toLowerCase()];        // whatever Caps Lock says
  };
  addEventListener("keydown", listen);
  return () => removeEventListener("keydown", listen);
}

function isTextField(target) {
  return target.isContentEditable || target.matches("textarea, select, input:not([type=button], [type=checkbox], [type=radio], [type=submit], [type=file])");
}
