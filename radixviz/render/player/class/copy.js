// Copies the link to exactly what is shown, and says so; where a browser does not let it, it shows the link to copy by hand.
// A file that the reader has opened (state `opened`) has no link: that of the page opens the live tour, and it says so.
import { el, write } from "../dom.js";

const SAID_MS = 4000;

export function makeCopy(store, model, root, address) {
  const text = el("span"), field = el("input", { class: "rv-link", readonly: true, hidden: true, onclick: () => field.select() });
  const note = root.appendChild(el("div", { class: "rv-copied", role: "status" }, text, field));
  const say = key => model.say(store.state.lang, key);
  let timer = 0;
  const copy = async () => {
    const link = address.link(), copied = await toClipboard(link);
    write(text, "");
    const [done, shown] = store.state.opened ? ["link.copied.opened", "link.by_hand.opened"] : ["link.copied", "link.by_hand"];
    setTimeout(() => write(text, say(copied ? done : shown)), 50);     // said again, each time
    field.hidden = copied;
    field.value = link;
    field.ariaLabel = say("player.copy");
    if (!copied) field.select();
    clearTimeout(timer);
    if (copied) timer = setTimeout(clear, SAID_MS);
  };
  const clear = () => {
    write(text, "");
    field.hidden = true;
  };
  root.querySelector("[data-tool=copy]").onclick = copy;
  return {
    copy,
    update(before, now) { if (before && before.frame !== now.frame) clear(); },
    leave: () => clearTimeout(timer),
  };
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
