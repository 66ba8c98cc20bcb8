// The requests as strips of tokens: what was reused, what is computed, what is written. Cells stay from step to step, and
// only those that differ are touched.
import { el, put } from "./dom.js";
import { darken, lighting, linked, listenTo } from "./link.js";

const KINDS = ["reused", "pending", "computed", "again", "generated"];

export function makeStrip(store, model, root) {
  const strip = { model, root, rows: new Map() };
  listenTo(root, store, element => {
    const token = element.closest("[data-token]");
    return token && { sequence: token.closest("[data-sequence]").dataset.sequence, token: Number(token.dataset.token) };
  });
  return {
    update(prev, next) {
      if (prev?.frame !== next.frame || prev.lang !== next.lang) draw(strip, prev, next);
      mark(strip, linked(model, next));
    },
  };
}

function draw(strip, prev, next) {
  const { model, root, rows } = strip, { seqs } = model.view(next.frame);
  const light = lighting(model, prev, next);
  const ids = new Set(seqs.map(seq => seq.id));
  root.firstElementChild.hidden = seqs.length;                      // "no request in this stage"
  root.classList.toggle("rv-compact", seqs.length > 2);
  for (const [id, row] of rows) if (!ids.has(id)) rows.delete(id) && row.section.remove();
  for (const seq of seqs) {
    if (!rows.has(seq.id)) rows.set(seq.id, makeRow(root, seq));
    const row = rows.get(seq.id), lit = light?.tokens.get(seq.id) ?? 0, cells = cellsOf(model, seq);
    head(model, row, seq, next.lang);
    for (const { element } of row.cells.splice(cells.length)) element.remove();
    cells.forEach((cell, place) => {
      row.cells[place] ??= { element: row.tokens.insertBefore(el("span"), row.cursor) };
      dress(row.cells[place], cell, cell.index < lit && !cell.folded ? light.delay(cell.index) : null);
    });
    row.cursor.hidden = seq.state !== "running" || seq.shown <= seq.prompt;
  }
  strip.found = undefined;
}

function makeRow(root, seq) {
  const line = el("div", { class: "rv-strip-head" }), cursor = el("i", { class: "rv-cursor" }), tokens = el("div", { class: "rv-tokens" }, cursor);
  return { line, cursor, tokens, cells: [], section: root.appendChild(el("section", { class: "rv-strip", data: { sequence: seq.id } }, line, tokens)) };
}

// "68 reused  10 computed  ...  B2 · second session, second turn · running"
function head(model, row, seq, lang) {
  const counts = KINDS.map(kind => [kind, seq.spans.reduce((sum, [name, count]) => sum + (name === kind && count), 0)]).filter(([, count]) => count);
  const label = seq.samples > 1 ? model.say(lang, "sample", { n: seq.sample }) : model.data.requests[seq.request]?.label[lang];
  const title = [seq.request, label, model.say(lang, "state." + seq.state)].filter(Boolean).join(" · ");
  const gloss = lang === "zh" ? glossOf(model.data.requests[seq.request], seq) : "";
  if (row.said === (row.said = lang + counts + title)) return;
  put(row.section, "aria-label", title);
  row.line.replaceChildren(
    ...counts.map(([kind, count]) => el("span", { data: { count: kind } }, el("b", { class: "rv-n-" + kind }, String(count)), " " + model.say(lang, "tokens." + kind))),
    el("span", { class: "rv-gloss", title: gloss }, gloss),
    el("span", { class: "rv-strip-title" }, title));
}

// What an English request means, for those who read Chinese; and the answer, once it is there.
function glossOf({ gloss, reply_glosses: replies = [] } = {}, { state, sample }) {
  return [gloss, state === "finished" && replies[sample - 1]].filter(Boolean).join(" → ");
}

function dress(shown, { index, kind, text, folded }, start) {
  const { element } = shown;
  shown.from = index;
  shown.to = index + (folded || 1);
  put(element, "class", `${folded ? "rv-more" : "rv-token"}${text[0] === " " ? " rv-lead" : ""} rv-k-${kind}`);
  put(element, "data", { token: folded ? null : index, kind: folded ? null : kind });
  if (start !== null) darken(element, start);
  if (shown.text !== text) shown.text = element.textContent = text;
}

// The cells of a strip: its tokens, and one cell for each stretch that is left out.
function cellsOf(model, { ids, spans, folds }) {
  const kinds = spans.flatMap(([kind, count]) => Array(count).fill(kind));
  const left = new Map(folds ?? []);
  const cells = [];
  for (let index = 0; index < kinds.length; index += cells.at(-1).folded || 1) {
    const folded = left.get(index) ?? 0;
    cells.push({ index, kind: kinds[index], folded, text: folded ? `⋯ +${folded}` : model.token(ids[index]) });
  }
  return cells;
}

function mark(strip, found) {
  if (found === strip.found) return;
  strip.found = found;
  for (const [id, row] of strip.rows) {
    const [from, to] = found?.tokens.get(id) ?? [0, 0];
    for (const cell of row.cells) cell.element.classList.toggle("rv-linked", cell.from < to && cell.to > from);
  }
}
