// The numbers beside the tree: this stage's requests, the formula with their numbers, the totals, the locks, who goes next.
import { el, put, write } from "./dom.js";

const LONG = 4;              // characters of a number up to which a row of them is set large

export function makeNumbers(store, model, root) {
  const values = [...root.querySelectorAll("b")], formula = root.querySelector(".rv-formula");
  const [locks, order] = root.querySelectorAll(".rv-locks > span");
  return {
    update(before, { frame, lang }) {
      const shown = model.view(frame).frame;
      if (!shown || (before && before.frame === frame && before.lang === lang)) return;
      values.forEach((value, index) => write(value, shown.numbers[index]));
      put(root.firstElementChild, "class", "rv-now-row" + (shown.numbers.slice(0, 3).some(text => text.length > LONG) ? " rv-long" : ""));
      values[6].parentNode.hidden = shown.numbers[6] === "0";
      formula.replaceChildren(...shown.formula[lang].map(text => el("span", {}, text)));
      write(locks, shown.locks.join(" · ") || model.say(lang, "node.none_locked"));
      write(order, shown.next.join(" → ") || model.say(lang, "order.none"));
    },
  };
}
