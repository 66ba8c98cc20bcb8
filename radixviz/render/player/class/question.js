// The open question below its sentence: options, or a field for a number, or the nodes of the tree; then what was right.
import { el, put, write } from "../dom.js";
import { spoken } from "../sentence.js";

const MOST_SHOWN = 12;       // characters of a bad answer that are said again

export function makeQuestion(store, model, root, travel, asking) {
  const header = root.querySelector(".rv-say"), button = root.querySelector("[data-tool=ask]");
  const place = header.insertBefore(el("div", { class: "rv-ask" }), root.querySelector(".rv-notices"));
  const told = header.insertBefore(el("p", { class: "rv-verdict", role: "status" }), place);
  const words = { model, asking, langs: [] };
  let shown = null;
  button.onclick = asking.toggle;
  listenToNodes(root.querySelector(".rv-tree-svg"), store, asking);
  listenToKeys(place, travel, asking);
  return {
    update() {
      const { state } = store, asked = asking.open(state), answered = asking.answered(state);
      const sum = state.ask && !asked && state.frame === model.last ? asking.sum(state) : null;
      put(button, "aria-pressed", String(state.ask));
      put(root, "data-asking", asked?.kind);
      put(root, "data-answered", Boolean(answered));
      put(root, "data-sum", Boolean(sum?.n));
      if (shown === (shown = JSON.stringify([state.frame, state.lang, state.both, asked?.frame, answered, sum]))) return;
      words.langs = state.both ? ["zh", "en"] : [state.lang];
      told.replaceChildren(...(answered ? verdict(words, answered) : []));
      place.replaceChildren(...(asked ? field(words, asked) : sum?.n ? summary(words, sum) : []));
    },
  };
}

// The same text in each language that is shown.
const each = ({ langs }, text) => langs.map(text).filter((one, index, all) => all.indexOf(one) === index).join(" · ");

function field(words, asked) {
  const hint = el("span", { class: "rv-hint" }, each(words, lang => asked.before.told[lang].why[0][0]));
  const make = { choice: options, number, node: () => [] };
  return [...make[asked.kind](words, asked), hint];
}

function options(words, asked) {
  return asked.options.map((option, place) => {
    const n = String(place + 1);
    return choice({ option: n }, () => words.asking.answer(n), n, each(words, lang => option[lang]));
  });
}

const choice = (data, onclick, mark, text) => el("button", { type: "button", class: "rv-option", data, onclick }, el("b", {}, mark), " ", text);

function number(words, { most }) {
  const say = (key, values) => each(words, lang => words.model.say(lang, key, values));
  const input = el("input", { class: "rv-answer", inputmode: "numeric", autocomplete: "off", placeholder: "?", "aria-label": say("ask.field") });
  const bad = el("p", { class: "rv-bad", role: "alert" });
  const give = () => {
    const said = input.value.trim().replace(/[０-９]/g, digit => String.fromCharCode(digit.charCodeAt(0) - 0xfee0));
    const wrong = wrongOf(said, most);
    if (wrong) write(bad, say(wrong, { most, said: said.length > MOST_SHOWN ? said.slice(0, MOST_SHOWN) + "…" : said }));
    else words.asking.answer(String(Number(said)));
  };
  input.oninput = () => write(bad, "");
  return [input, el("button", { type: "button", class: "rv-give", onclick: give }, say("ask.give")), bad];
}

// The key of what is wrong with an answer that is no number from 0 to `most`; empty where nothing is.
function wrongOf(said, most) {
  if (!said) return "ask.empty";
  if (!/^[-−+]?\d+$/.test(said)) return "ask.letters";
  return /^\d+$/.test(said) && Number(said) <= most ? "" : "ask.outside";
}

// "Not 63, but 47. The client sends all of it, ..."
function verdict({ model, langs }, { question, said, right }) {
  const key = right === null ? "ask.shown" : right ? "ask.right" : "ask.wrong";
  const reason = question.told[said ?? question.right[0]] ?? question.why;
  return langs.map(lang => el("span", { lang: lang === "zh" ? "zh-Hans" : lang },
    el("b", { class: { true: "rv-right", false: "rv-wrong" }[right] ?? "" },
      model.say(lang, key, { said: nameOf(model, question, said, lang), answer: question.named[lang] })),
    " ", ...reason[lang].map(spoken)));
}

function nameOf(model, question, said, lang) {
  if (question.kind === "choice") return question.options[said - 1]?.[lang];
  if (question.kind !== "node") return said;
  const { title = {}, letter } = model.view(question.frame).byKey.get(said) ?? {};
  return letter ? model.say(lang, "node.lettered", { name: title[lang], letter }) : title[lang];
}

// How many were right, and where to look again.
function summary(words, { n, right, again }) {
  const say = (key, values) => each(words, lang => words.model.say(lang, key, values));
  const stages = again.map(({ stage, mark, short }) =>
    choice({ again: stage }, () => words.asking.again(stage), mark, each(words, lang => short[lang])));
  return [el("b", {}, say("ask.sum", { n, right })), again.length ? say("ask.again") : "", ...stages];
}

// A click on a node, or Enter on it, answers an open question about nodes, and then chooses nothing.
function listenToNodes(tree, store, asking) {
  const answer = event => {
    const box = event.target.closest("[data-node]");
    const pressed = event.type === "click" || event.key === "Enter" || event.key === " ";
    if (!box || !pressed || asking.open(store.state)?.kind !== "node") return;
    event.stopPropagation();
    event.preventDefault();
    asking.answer(box.dataset.key);
  };
  for (const type of ["click", "keydown"]) tree.addEventListener(type, answer, true);
}

// Within the answer field digits are the answer's, and the keys that mean nothing to it go on through the frames.
function listenToKeys(place, travel, asking) {
  place.onkeydown = event => {
    const { key, target } = event, input = target.matches("input") ? target : null;
    const chosen = !input && /^[1-9]$/.test(key) && place.querySelector(`[data-option="${key}"]`);
    const steps = { ArrowRight: () => travel.step(1), ArrowLeft: () => travel.step(-1), PageDown: () => travel.stop(1), PageUp: () => travel.stop(-1) };
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (chosen) chosen.click();
    else if (!input || (key.startsWith("Arrow") && input.value)) return;
    else if (key === "Enter") place.querySelector(".rv-give").click();
    else if (key === "Escape") input.blur();
    else if (steps[key]) steps[key]();
    else return;
    event.preventDefault();
  };
}
