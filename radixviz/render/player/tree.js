// The radix tree. One <g> lives as long as its box does, and a step changes only what differs. The style sheet's
// transitions make things glide: a new step turns them to a new aim, so a burst of keys never queues anything.
import { put, svg, write } from "./dom.js";
import { choose, length, lighting, linked, listenTo, moves } from "./link.js";
import { makeZoom } from "./zoom.js";

const ROOT_RADIUS = 6;
const TIP_LENGTH = 600;
const NARROW_GAP = 30;       // between ranks
const LOCK = "M2.5 6V4a3 3 0 0 1 6 0V6";
const SCISSORS = "M-13 0H13M22-3.5 33 4M22 3.5 33-4M17-4.5a2.4 2.4 0 1 0 5 0a2.4 2.4 0 1 0-5 0M17 4.5a2.4 2.4 0 1 0 5 0a2.4 2.4 0 1 0-5 0";

export function makeTree(store, model, root) {
  const [drawing, gone, edges, mark, boxes, cuts, text] = root.querySelectorAll("svg, .rv-pane g, pre");
  const tree = { store, model, drawing, gone, edges, mark, boxes, cuts, text, records: new Map(), marked: [], zoom: makeZoom(drawing, root) };
  listen(tree);
  return {
    update(prev, next) {
      if (prev?.frame !== next.frame || prev.lang !== next.lang || prev.expert !== next.expert) draw(tree, prev, next);
      markLinked(tree, next);
    },
  };
}

function draw(tree, prev, next) {
  const { model, drawing } = tree, view = model.view(next.frame), { layout, scale } = view;
  put(drawing, "hidden", !layout);
  write(tree.text, (!layout && view.frame?.text?.[next.lang]) || "");
  tree.gone.replaceChildren();
  if (!layout) return;
  const left = (scale.width - layout.w * scale.box) / 2;
  const spots = new Map([[null, { x: left + layout.root * scale.box, y: scale.rootY }]]);
  for (const { key } of view.boxes) {
    const [x, rank] = layout.at[key];
    spots.set(key, { x: left + (x - 0.5) * scale.box, y: scale.rootY + scale.firstGap + (rank - 1) * (scale.boxHeight + scale.gap) });
  }
  const how = { view, scale, spots, lang: next.lang, moving: moves(prev, next), light: lighting(model, prev, next), numbers: model.panels(next).has("pages") };
  put(drawing, "viewBox", `0 0 ${scale.width} ${scale.height}`);
  tree.mark.style.transform = shift(spots.get(null));
  drawBoxes(tree, how);
  drawCuts(tree, how);
  tree.zoom.fit(scale.width, scale.height, () => busyPart(how));
}

function drawBoxes(tree, how) {
  const { view, spots, scale, moving, light } = how, { records, boxes, edges } = tree;
  const lowerOf = new Map(view.frame.split.map(([upper, lower]) => ["n" + upper, "n" + lower]));
  for (const key of records.keys()) if (!spots.has(key)) leave(tree, key, moving);
  let before = null;
  for (const box of view.boxes) {
    let record = records.get(box.key), enter = "";
    if (!record) {
      records.set(box.key, record = makeRecord(box.key));
      boxes.insertBefore(record.group, before ? before.nextSibling : boxes.firstChild);
      edges.append(record.edge);
      const old = records.get(lowerOf.get(box.key))?.spot;      // a split: the upper part opens out of the one box
      if (old) record.group.style.setProperty("--rv-from", shift(old));
      if (moving) enter = old ? " rv-open" : " rv-enter";
    }
    const { group, edge } = record, [from, to] = light?.boxes.get(box.key) ?? [], lit = from === undefined ? "" : " rv-light";
    if (lit) for (const { style } of [group, edge]) style.setProperty("--rv-start", light.delay(from) + "ms");
    if (lit) group.style.setProperty("--rv-long", light.delay(to) - light.delay(from) + "ms");
    put(group, "class", "rv-box " + box.css + lit + enter);
    put(edge, "class", "rv-edge " + box.css + lit + (enter && " rv-enter"));
    put(edge, "pathLength", box.look === "hit" ? 1 : null);     // so that its lighting can be told in parts of one
    put(edge, "d", curve(spots.get(box.parent) ?? spots.get(null), spots.get(box.parent) && box.parent, spots.get(box.key), scale));
    group.style.transform = shift(record.spot = spots.get(box.key));
    dress(tree.model, record, box, how);
    before = group;
  }
}

function makeRecord(key) {
  const [frame, inner, part] = ["frame", "inner", "part"].map(name => svg("rect", { class: "rv-" + name }));
  const tip = svg("title"), face = svg("g", { "aria-hidden": "true" });
  return { tip, frame, inner, part, face, edge: svg("path"), group: svg("g", { role: "treeitem", tabindex: 0, data: { key } }, tip, frame, inner, part, face) };
}

// What has left fades away as a picture of itself; the next step removes it.
function leave({ records, gone }, key, moving) {
  const { group, edge } = records.get(key);
  records.delete(key);
  group.remove();
  edge.remove();
  if (moving) gone.append(edge, svg("g", { class: group.getAttribute("class"), style: group.getAttribute("style") }, ...group.childNodes));
}

function dress(model, record, box, how) {
  const { scale, lang, numbers, view } = how, { group, face } = record;
  record.box = box;
  put(group, "data", dataOf(box));
  put(group, "aria-level", view.layout.at[box.key][1]);
  const drawn = [box.title[lang], box.letter, box.shown, box.badge[lang], box.lines[lang], box.lock, box.pages[0], box.hidden, numbers, scale.box];
  if (record.drawn === (record.drawn = JSON.stringify(drawn))) return;
  place(record.frame, 0, 0, scale.box, scale.boxHeight, 9);
  place(record.inner, 4, 4, scale.box - 8, scale.boxHeight - 8, 6);
  place(record.part, scale.pad, scale.head - 1, scale.box - 2 * scale.pad, 2.5);
  write(record.tip, tipOf(model, box, lang));
  face.replaceChildren(...faceOf(model, box, how).flatMap(part => (part ? [part, " "] : [])));
  const say = (key, n) => model.say(lang, key, { n });          // what is spoken: what is written, and what it means
  put(group, "aria-label", [face.textContent.trim(), say("node.tokens", length(box)), box.lock && say("node.locked", box.lock)].filter(Boolean).join(", "));
}

function place(rect, x, y, width, height, rx = 1) {
  for (const [name, value] of Object.entries({ x, y, width, height, rx })) put(rect, name, value);
}

function dataOf({ kind, stored, running, name, sequence, node, look, letter, lock }) {
  if (kind === "missing") return { missing: name, tokens: stored };
  return kind === "running" ? { running: sequence, tokens: running } : { node, look, letter, name, tokens: stored, lock };
}

function faceOf(model, { title, letter, shown, lines, lock, badge, pages, kind, hidden }, { scale, lang, numbers }) {
  const { pad, head, line, boxHeight, box } = scale, say = (key, values) => model.say(lang, key, values);
  const text = (name, x, y, ...parts) => svg("text", { class: "rv-" + name, x, y }, ...parts);
  const held = scale.held ?? String(lock), locked = lock ? 15 + 7 * held.length : 0, word = badge[lang];
  return [
    text("name", pad, 22, title[lang], letter && " ", letter && svg("tspan", { class: "rv-letter", dx: 2 }, letter)),
    text("count", box - pad - (locked && locked + 7), 22, shown),
    ...lines[lang].map((words, row) => text("text", pad, head + 12 + row * line, ...signs(words))),
    lock && svg("g", { class: "rv-lock", transform: `translate(${box - pad - locked} 10)` }, svg("rect", { y: 6, width: 11, height: 8, rx: 1.5 }), svg("path", { d: LOCK }), text("held", 14, 12, held)),
    word && pill("badge", box / 2, 0, 16 + 6.6 * wide(word), 18, word),
    numbers && kind !== "ghost" && pages.length && pageNumbers(say("node.pages", { pages: ranges(pages) }), scale, text),
    hidden && pill("fold", box / 2, boxHeight, 92, 24, say("tree.folded", { n: hidden })),
  ];
}

// Below the box; where the next rank is near, edges would cross them there: then they stand on the frame.
function pageNumbers(words, { boxHeight, gap }, text) {
  const width = 8 + 6.2 * wide(words);
  return gap < NARROW_GAP ? pill("page-numbers", 7 + width / 2, boxHeight - 2, width, 12, words) : text("page-numbers", 2, boxHeight + 14, words);
}

const wide = word => [...word].reduce((sum, sign) => sum + (sign > "\u2e80" ? 2 : 1), 0);

function pill(name, x, y, width, height, text) {
  return svg("g", { class: "rv-" + name, transform: `translate(${x} ${y})` }, svg("rect", { x: -width / 2, y: -height / 2, width, height, rx: height / 2 }), svg("text", { y: 4 }, text));
}

// Newline signs and the fold mark are set back, so that they are not read as text.
function signs(line) {
  if (line.startsWith("⋯ ")) return [svg("tspan", { class: "rv-sign" }, line)];
  return line.split(/([⏎⇥])/).map((piece, index) => (index % 2 ? svg("tspan", { class: "rv-sign rv-return", dx: 1 }, piece) : index && piece ? svg("tspan", { dx: 2 }, piece) : piece));
}

const ranges = ([[first, count], ...more]) => first + (count > 1 ? "–" + (first + count - 1) : "") + (more.length ? " …" : "");

function tipOf({ data }, { name, edge }, lang) {
  const text = data.edges[edge]?.text ?? "";
  return [name, data.names[name]?.[lang], text.length > TIP_LENGTH ? text.slice(0, TIP_LENGTH) + "…" : text].filter(Boolean).join("\n");
}

const round = value => Math.round(value * 10) / 10;
const shift = ({ x, y }) => `translate(${round(x)}px, ${round(y)}px)`;

function curve(from, parent, to, { box, boxHeight }) {
  const x1 = round(from.x + (parent ? box / 2 : 0)), y1 = round(from.y + (parent ? boxHeight : ROOT_RADIUS)), x2 = round(to.x + box / 2), y2 = round(to.y), middle = round((y1 + y2) / 2);
  return `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${y2}`;
}

// Where a box has just been cut in two: scissors at the edge between the parts, which keep their pages.
function drawCuts({ cuts, model }, { view, spots, scale, lang, moving }) {
  const pairs = view.frame.split.map(([upper, lower]) => [spots.get("n" + upper), spots.get("n" + lower)]).filter(([from, to]) => from && to);
  cuts.replaceChildren(...pairs.map(([from, to]) => svg("g", { class: "rv-cut" + (moving ? " rv-enter" : ""), transform: `translate(${(from.x + to.x + scale.box) / 2} ${(from.y + scale.boxHeight + to.y) / 2})` },
    svg("path", { d: SCISSORS }), svg("text", { x: 38, y: 4 }, model.say(lang, "tree.split")))));
}

// The part of the drawing that must be in view: the root and what is new, hit or held, else everything.
function busyPart({ view: { boxes }, spots, scale }) {
  const active = boxes.filter(box => box.kind === "running" || box.lock || box.look === "hit" || box.look === "new");
  const corners = (active.length ? active : boxes).map(box => spots.get(box.key)), { x } = spots.get(null);
  return {
    left: Math.min(x, ...corners.map(spot => spot.x)), right: Math.max(x, ...corners.map(spot => spot.x + scale.box)),
    bottom: Math.max(0, ...corners.map(spot => spot.y + scale.boxHeight)),
  };
}

// Marks the box of the target, and along its head the share of its tokens that is lit in the other views.
function markLinked(tree, next) {
  const found = linked(tree.model, next), record = tree.records.get(found?.key), chosen = tree.records.get(next.selected?.box);
  for (const one of [...tree.marked, ...(tree.marked = [record, chosen].filter(Boolean))]) {
    one.group.classList.toggle("rv-linked", one === record);
    one.group.classList.toggle("rv-chosen", one === chosen);
    put(one.group, "aria-selected", one === chosen && "true");
  }
  if (!record) return;
  const { pad, box, head } = tree.model.view(next.frame).scale, token = (box - 2 * pad) / (length(record.box) || 1);
  place(record.part, pad + found.from * token, head - 1, Math.max(3, (found.to - found.from) * token), 2.5);
}

function listen({ store, drawing, boxes }) {
  const targetOf = element => (element.closest(".rv-box") ? { box: element.closest(".rv-box").dataset.key } : null);
  listenTo(drawing, store, targetOf);
  drawing.onkeydown = event => {
    const by = { ArrowDown: 1, ArrowUp: -1, Enter: 0, " ": 0 }[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const items = [...boxes.children];
    if (by) items[items.indexOf(event.target) + by]?.focus();
    else choose(store, targetOf(event.target));
    event.preventDefault();
  };
}
