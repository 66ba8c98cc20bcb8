// The pages of the KV pool, one cell each: who holds it, and whether it may go. Only cells that change are touched.
import { el, put, write } from "./dom.js";
import { darken, lighting, linked, listenTo, ownerOf } from "./link.js";
import { pages } from "./model.js";

const MANY = 600;         // from here on a line holds twice as many cells
export function makePages(store, model, root) {
  const { run } = model.data, count = run?.pool_pages ?? 0;
  const [amount, grid] = root.querySelectorAll("b, .rv-pages"), parts = root.querySelectorAll("[data-pool]");
  const cells = Array.from({ length: count }, (_, place) => el("i", { data: { page: place + 1 } }));
  const pool = { model, cells, parts, known: [], marked: new Set() };
  grid.style.gridTemplateColumns = `repeat(${count > MANY ? 60 : 30}, 1fr)`;
  grid.append(...cells);
  listenTo(grid, store, element => {
    const page = Number(element.dataset.page);
    if (page) put(element, "title", tipOf(model, store.state, page));
    return page ? { page } : null;
  });
  return {
    update(prev, next) {
      if (run && prev?.lang !== next.lang) {
        const bytes = run.kv_bytes_per_token * run.page_size, total = (bytes * count / 2 ** 20).toFixed(2) + " MiB";
        write(amount, model.say(next.lang, "pool.bytes", { pages: count, bytes_per_page: bytes.toLocaleString("en"), total, device: run.device }));
      }
      if (prev?.frame !== next.frame || prev.lang !== next.lang) draw(pool, prev, next);
      mark(pool, linked(model, next)?.pages ?? new Set());
    },
  };
}

function draw({ model, cells, known, parts }, prev, next) {
  const view = model.view(next.frame), starts = startsOf(model, view, lighting(model, prev, next));
  const counts = { in_use: 0, cached: 0, just_freed: 0, free: 0 };
  view.pages.forEach(({ state, holder }, place) => {
    const freed = view.freed.has(place + 1), start = starts.get(place + 1), cell = cells[place];
    counts[freed ? "just_freed" : state in counts ? state : "in_use"] += 1;
    const css = `rv-p-${freed ? "just_freed" : shade(view, state, holder)}${state === "cached" ? " rv-idle" : ""}`;
    if (known[place] !== (known[place] = `${css} ${state} ${holder}`)) {
      put(cell, "class", css);
      put(cell, "data", { state, holder: holder ?? "" });
    }
    if (start !== undefined) darken(cell, start);
  });
  for (const part of parts) {
    const count = counts[part.dataset.pool], share = count / view.pages.length;
    const text = model.say(next.lang, "pool." + part.dataset.pool, { n: count });
    part.hidden = !count;
    part.style.flex = count;
    put(part, "data", { count });
    put(part, "title", text);
    write(part, share >= 0.2 ? text : share >= 0.07 ? String(count) : "");
  }
}

// What a page looks like: the look of the node that holds it, running, or free.
function shade(view, state, holder) {
  if (state === "free" || state === "running") return state;
  const look = view.byKey.get("n" + holder)?.look;
  return look === "hit" || look === "new" ? look : "cached";
}

// Page number -> when it lights up.
function startsOf({ data }, view, light) {
  return new Map([...light?.boxes ?? []].flatMap(([key, [from]]) =>
    pages(view.byKey.get(key).pages).map((page, place) => [page, light.delay(from + place * data.run.page_size)])));
}

function mark(pool, wanted) {
  for (const page of pool.marked) pool.cells[page - 1]?.classList.toggle("rv-linked", wanted.has(page));
  for (const page of wanted) pool.cells[page - 1]?.classList.add("rv-linked");
  pool.marked = wanted;
}

// "page 17: locked, SYS"
function tipOf(model, { lang, frame }, page) {
  const view = model.view(frame), { state, holder } = view.pages[page - 1];
  return model.say(lang, holder ? "page.label.held" : "page.label", { page, state: model.say(lang, "page." + state), holder: ownerOf(view, page)?.name || holder });
}
