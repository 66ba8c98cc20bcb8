// Two bars at the foot of the projector view: what became of the tokens of this stage's requests, and of the pages.
import { el, put, write } from "../dom.js";

const TOKENS = ["asked", "reused", "pending", "computed", "again", "generated"];
const PAGES = ["in_use", "cached", "just_freed", "free"];

export function makeBars(store, model, root) {
  const tokens = bar(root, "tokens", TOKENS), pages = bar(root, "pool", PAGES);
  return {
    update(before, now) {
      const view = model.view(now.frame);
      if (!now.present || !view.frame || (before && before.frame === now.frame && before.lang === now.lang)) return;
      const say = key => model.say(now.lang, key);
      fill(tokens, tokensOf(view), kind => say("tokens." + kind), [...new Set(view.seqs.map(seq => seq.request))].join(" + ") || say("tokens.title"));
      fill(pages, pagesOf(view), kind => say("far." + kind), say("pool.title"));
    },
  };
}

function bar(root, name, kinds) {
  const title = el("b"), counts = el("span"), parts = kinds.map(kind => el("i", { class: "rv-bar-" + kind }));
  const line = el("div", { class: "rv-far-bar" }, parts);
  root.querySelector(".rv-strips").before(el("div", { class: "rv-far", data: { bar: name } }, title, counts, line));
  return { title, counts, parts, kinds, line };
}

function fill({ title, counts, parts, kinds, line }, amounts, say, text) {
  write(title, text);
  const count = kind => el("span", { data: { count: kind } }, el("b", { class: "rv-n-" + kind }, String(amounts[kind])), " " + say(kind));
  counts.replaceChildren(...kinds.filter(kind => amounts[kind]).map(count));
  parts.forEach((part, place) => {
    part.style.flexGrow = amounts[kinds[place]] ?? 0;
    put(part, "hidden", !amounts[kinds[place]]);
  });
  put(line, "class", "rv-far-bar" + (kinds.some(kind => amounts[kind]) ? "" : " rv-none"));
}

// Samples share their prompt: it counts once.
function tokensOf({ seqs }) {
  const amounts = {}, prompts = new Set();
  for (const { request, spans } of seqs) {
    for (const [kind, count] of spans) if (kind === "generated" || !prompts.has(request)) amounts[kind] = (amounts[kind] ?? 0) + count;
    prompts.add(request);
  }
  return amounts;
}

function pagesOf({ pages, freed }) {
  const amounts = { in_use: 0, cached: 0, just_freed: 0, free: 0 };
  pages.forEach(({ state }, place) => { amounts[freed.has(place + 1) ? "just_freed" : state in amounts ? state : "in_use"] += 1; });
  return amounts;
}

