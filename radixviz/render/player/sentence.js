import { el, put, termButton, write } from "./dom.js";

const LIVE_MS = 250;         // a burst of steps is read aloud once, at its end

// The words that stand still, in the reader's language.
export function makeWords(store, model, root) {
  return {
    update(before, { lang, speed }) {
      if (before && before.lang === lang && before.speed === speed) return;
      const n = model.data.run?.page_size ?? 1;
      for (const element of root.querySelectorAll("[data-word]")) write(element, model.say(lang, element.dataset.word, { n }));
      for (const element of root.querySelectorAll("[data-name]")) named(element, model.say(lang, element.dataset.name, { n: speed }));
    },
  };
}

export function named(element, text) {
  put(element, "aria-label", text);
  put(element, "title", text);
}

// The number of the stage, the sentence about the frame and its reason; a live region reads them when steps have paused.
export function makeSentence(store, model, root) {
  const [mark, place, say, why, notes, live] = root.querySelectorAll(".rv-stage > *, [data-say], [data-why], .rv-notices, .rv-spoken");
  let timer = 0;
  return {
    update(before, { frame, lang, notices }) {
      if (before && before.frame === frame && before.lang === lang && before.notices === notices) return;
      const view = model.view(frame);
      const told = view.intro ? { say: [[view.intro.say[lang]]], why: [[view.intro.why[lang]]] } : view.frame.told[lang];
      write(mark, view.mark);
      write(place, view.of > 1 ? `${view.n} / ${view.of}` : "");
      say.replaceChildren(...told.say.map(spoken));
      why.replaceChildren(...told.why.map(spoken));
      notes.replaceChildren(...(notices?.[lang] ?? []).map(text => el("p", { class: "rv-notice" }, text)));
      clearTimeout(timer);
      timer = setTimeout(() => write(live, `${view.place[lang]}. ${say.textContent} ${why.textContent}`), LIVE_MS);
    },
  };
}

export const spoken = ([text, role, term]) => term ? termButton("glossary." + term, text, role) : role ? el("em", { class: "rv-role-" + role }, text) : text;

// Stage 0: prompts with the same beginning, and the question whether to compute it again.
export function makeIntro(store, model, root) {
  return {
    update(before, { frame, lang }) {
      if (before && before.frame === frame && before.lang === lang) return;
      const { intro } = model.view(frame);
      root.hidden = !intro;
      root.replaceChildren();
      if (intro) root.append(...intro.prompts.map(({ label, tokens }) => el("section", { class: "rv-strip" },
          el("div", { class: "rv-strip-head" }, el("b", {}, label[lang]),
            el("span", { class: "rv-strip-title" }, model.say(lang, "intro.counts", { n: tokens.length, shared: intro.shared }))),
          el("div", { class: "rv-tokens" }, tokens.map((text, token) => {
            const kind = token < intro.shared ? "shared" : "own";
            return el("span", { class: "rv-k-" + kind, data: { token, kind } }, text);
          })))));
    },
  };
}
