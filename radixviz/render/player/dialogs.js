// What opens over the player: the list of keys, and the overview of all stages as small trees, as in the published figure.
import { el, svg } from "./dom.js";

const WIDTH = 372;           // of a small tree, as radixviz/render/mini_tree.py draws it

export function makeDialogs(store, model, root, travel) {
  const dialogs = [...root.querySelectorAll("dialog")], cards = root.querySelector(".rv-cards");
  const close = () => store.set({ open: null });
  for (const dialog of dialogs) {
    dialog.onclose = close;
    dialog.onclick = event => { if (event.target === dialog || event.target.closest(".rv-close")) close(); };
  }
  return {
    update(before, { open, lang }) {
      if (before ? before.open === open && before.lang === lang : !open) return;
      if (open === "overview") cards.replaceChildren(...model.data.overview.map(card => stageCard(card, lang, travel)));
      for (const dialog of dialogs) {
        if (dialog.dataset.dialog !== open) dialog.close();
        else if (!dialog.open) dialog.showModal();
      }
    },
  };
}

function stageCard({ stage, mark, title, height, box, root, lines, boxes }, lang, travel) {
  const picture = root && svg("svg", { class: "rv-mini", viewBox: `0 0 ${WIDTH} ${height}`, "aria-hidden": "true" },
    lines.map(([look, x1, y1, x2, y2]) => svg("path", { class: "rv-edge " + look, d: `M${x1} ${y1}L${x2} ${y2}` })),
    svg("circle", { class: "rv-dot", cx: root[0], cy: root[1], r: 4 }),
    boxes.map(([look, x, y, width, text, isLetter]) => svg("g", { class: look, transform: `translate(${x} ${y})` },
      svg("rect", { class: "rv-frame", x: -width / 2, width, height: box, rx: 5 }), svg("text", { class: isLetter ? "rv-letter" : "", y: 16 }, text))));
  return el("button", { type: "button", class: "rv-card", data: { "open-stage": stage }, onclick: () => travel.open(stage) }, el("b", {}, `${mark} ${title[lang]}`), picture);
}
