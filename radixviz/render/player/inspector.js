// Everything about the chosen node (or that of the chosen token or page), on a card that takes no room of its own.
import { el, put, write } from "./dom.js";
import { linked } from "./link.js";

const MOST_IDS = 2000;
const UNSEEN = /([\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff])/;

export function makeInspector(store, model, card) {
  const [name, letter, look, close, rows] = card.querySelectorAll("header > *, dl");
  close.onclick = () => store.set({ selected: null });
  let shown = "";
  return {
    update(prev, { frame, lang, selected }) {
      const view = model.view(frame), say = (key, values) => model.say(lang, key, values);
      card.hidden = !selected || !view.frame;
      if (card.hidden) return;
      const box = view.byKey.get(linked(model, { frame, selected }).key), { page } = selected;
      const facts = box ? describe(model, box, lang) : page ? [] : [["look", say("inspect.gone")]];
      if (page) facts.unshift(["pages", say("page.label", { page, state: say("page." + view.pages[page - 1].state) })]);
      if (shown === (shown = JSON.stringify([facts, box, lang]))) return;
      write(name, box?.title[lang] || say("inspect.title"));
      write(letter, box?.letter ?? "");
      write(look, box ? box.badge[lang] || say("look." + box.look) : "");
      put(look, "class", "rv-pill rv-pill-" + box?.look);
      rows.replaceChildren(...facts.flatMap(([fact, text]) => {
        const long = fact === "text" && { dir: "auto", tabindex: 0 };
        return [el("dt", {}, say("inspect." + fact)), el("dd", { data: { fact }, ...long }, long ? exact(text) : String(text))];
      }));
    },
  };
}

// [[name of the fact, its text], ...] in the order of reading.
function describe({ data, say }, box, lang) {
  const { ids, text } = data.edges[box.edge] ?? { ids: [] };
  return [
    ["meaning", data.names[box.name]?.[lang]],
    ["tokens", box.count],
    ["text", text],
    ["pages", box.pages.map(([first, count]) => (count > 1 ? `${first}–${first + count - 1}` : first)).join(", ")],
    ["lock_ref", box.kind === "node" && [box.lock, ...box.holders].join(" · ")],
    ["order", box.kind !== "missing" && say(lang, "inspect.order." + (box.reason ?? box.kind), { n: box.order ?? box.lock })],
    ["last_access", box.last],
    ["hit_count", box.hits],
    ["ids", ids.slice(0, MOST_IDS).join(" ") + (ids.length > MOST_IDS ? " …" : "")],
    ["letters", box.letters.length > 1 && box.letters.join(", ")],
  ].filter(([, fact]) => fact || fact === 0);
}

// The text itself, character for character; what has no picture of its own gets one from the style sheet.
function exact(text) {
  return text.split(UNSEEN).map((piece, place) => {
    if (place % 2 === 0) return piece;
    const code = piece.charCodeAt(0);
    const sign = code === 10 ? "⏎" : code < 32 ? String.fromCharCode(0x2400 + code) : "\\u" + code.toString(16).padStart(4, "0");
    return el("i", { class: code === 10 ? "rv-newline" : "rv-unseen", data: { sign } }, piece);
  });
}
