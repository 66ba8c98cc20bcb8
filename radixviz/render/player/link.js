// What belongs together in one frame: tokens of requests, the boxes they lie in, the pages that hold them. A target of
// the state's `hover` and `selected` is {box: key}, {sequence: id, token: index} or {page: number}.
import { pages } from "./model.js";

const LIGHT_MS = 270;      // the matched path is alight after this long, and the last token has faded in at 420
const HURRY_MS = 160;      // whoever steps faster than this sees no movement
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const memory = new WeakMap();
const dark = new Map();    // element -> when it lights up
let lastStep = -HURRY_MS;

// What lights up together in the three views: {key, from, to: which tokens of which box, pages, tokens: sequence id ->
// [from, to]}. Null when there is nothing to light; the same object as long as nothing changes.
export function linked(model, { frame, hover, selected }) {
  const target = hover ?? selected, view = model.view(frame);
  return target && view.frame ? kept(view, JSON.stringify(target), () => linkedIn(view, target, model.data.run.page_size)) : null;
}

function linkedIn(view, { box: key, sequence, token, page }, size) {
  const part = view.seqs.find(seq => seq.id === sequence)?.segments.find(([, from, to]) => from <= token && token < to);
  const box = page ? ownerOf(view, page) : view.byKey.get(key ?? part?.[0]);
  if (!box) return { key: null, pages: new Set([page]), tokens: new Map([[sequence, [token, token + 1]]]) };
  const own = pages(box.pages);
  const from = key ? 0 : page ? own.indexOf(page) * size : token - part[1];
  const to = Math.min(key ? Infinity : page ? from + size : from + 1, length(box));
  const tokens = new Map();
  for (const { id, segments } of view.seqs) {
    for (const [one, first, last] of segments) if (one === box.key) tokens.set(id, [first + from, Math.min(first + to, last)]);
  }
  return { key: box.key, from, to, pages: new Set(box.kind === "ghost" ? [] : own.slice(Math.floor(from / size), Math.ceil(to / size))), tokens };
}

export const length = box => box.stored + box.running;

export const ownerOf = (view, page) => view.boxes.find(box => box.kind !== "ghost" && pages(box.pages).includes(page));

// When the reader steps to a look-up, the matched path lights up token by token, in the three views in step. Returns
// null, or {delay(token) -> ms, boxes: key -> [from, to], tokens: sequence id -> how many are matched}.
export function lighting(model, prev, next) {
  const view = model.view(next.frame);
  const matched = moves(prev, next) ? view.frame.matched.filter(([, prefix]) => prefix) : [];
  if (!matched.length) return null;
  const boxes = new Map();
  for (const [, , path] of matched) {
    let at = 0;
    for (const { key, stored } of path.flatMap(id => view.byKey.get("n" + id) ?? [])) boxes.set(key, [at, at += stored]);
  }
  const tokens = new Map(matched), longest = Math.max(...tokens.values());
  return { tokens, boxes, delay: token => Math.round(LIGHT_MS * token / longest) };
}

// Keeps an element dark until its time has come, in ms after the step. One clock for all: it costs less than an animation
// for each, and the next step ends it.
export function darken(element, ms) {
  element.classList.add("rv-dark");
  if (!dark.size) requestAnimationFrame(start => requestAnimationFrame(function tick(now) {
    light(now - start);
    if (dark.size) requestAnimationFrame(tick);
  }));
  dark.set(element, ms);
}

function light(time) {
  for (const [element, ms] of dark) if (ms <= time && dark.delete(element)) element.classList.remove("rv-dark");
}

// Whether this change is to be seen as a movement: one frame forward, by somebody who has the time to look.
export function moves(prev, next) {
  return kept(next, "moves", () => {
    const now = performance.now(), hurried = now - lastStep < HURRY_MS;
    if (prev && prev.frame !== next.frame) lastStep = now;
    light(Infinity);
    return Boolean(prev) && next.frame > prev.frame && next.frame <= prev.frame + 1 && !hurried && !calm.matches;
  });
}

// Lets the pointer or the focus hover over, and a click choose, the target that `targetOf` finds for an element.
export function listenTo(element, store, targetOf) {
  const hover = target => same(store.state.hover, target) || store.set({ hover: target });
  for (const name of ["pointerover", "focusin"]) element.addEventListener(name, event => hover(targetOf(event.target)));
  for (const name of ["pointerleave", "focusout"]) element.addEventListener(name, () => hover(null));
  element.addEventListener("click", event => choose(store, targetOf(event.target)));
}

export function choose(store, target) {
  if (target) store.set({ selected: same(store.state.selected, target) ? null : target });
}

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function kept(owner, name, make) {
  if (!memory.has(owner)) memory.set(owner, new Map());
  const known = memory.get(owner);
  if (!known.has(name)) known.set(name, make());
  return known.get(name);
}
