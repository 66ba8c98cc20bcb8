// The presenter's window: notes, the next state, and the time. It hears where the lesson is from the page that shows it
// (walker.js says how), so it works as long as both are open in one browser.
const ASK_MS = 1000;
const KEYS = { PageDown: 1, PageUp: -1, ArrowRight: 1, ArrowLeft: -1, " ": 1 };

export default function ({ data, parentElement }) {
  const host = parentElement.querySelector(".presenter");
  host.presenter?.leave();
  host.presenter = makePresenter(host, data);
  return () => {
    host.presenter?.leave();
    host.presenter = null;
  };
}

function makePresenter(host, { id, lang, words, states }) {
  const at = name => host.querySelector(`[data-part=${name}]`), say = key => words[primary][key];
  const langs = lang === "both" ? ["zh", "en"] : [lang], [primary] = langs;
  const channel = new BroadcastChannel("radixviz.lesson." + id), clock = makeClock("radixviz.clock." + id);
  let here = null;
  const put = (name, text) => { if (at(name).textContent !== text) at(name).textContent = text; };
  const both = text => text ? langs.map(one => text[one]).join("\n\n") : "";
  const ask = message => channel.postMessage(message);
  const go = by => { if (here !== null) ask({ kind: "go", at: here + by }); };
  const show = () => {
    const state = states[here], next = states[here + 1];
    put("alone", here === null ? say("lesson.alone") : "");
    put("place", state ? `${here + 1} / ${states.length} · ${placeOf(state, say)} · ${fill(say("lesson.minutes"), { n: state.minutes })}` : "");
    put("title", state?.title[primary] ?? "");
    put("pause", both(state?.pause));
    put("notes", both(state?.notes));
    put("next", next ? `${next.title[primary]} · ${placeOf(next, say)}` : state ? say("lesson.end") : "");
    tick();
  };
  const tick = () => {
    const spent = clock.spent(), planned = minutesTo(here), total = minutesTo(states.length - 1);
    put("elapsed", time(spent));
    put("planned", fill(say("lesson.planned"), { until: time(planned * 60), total: time(total * 60) }));
    put("late", spent > planned * 60 && here !== null ? fill(say("lesson.late"), { time: time(spent - planned * 60) }) : "");
    put("run", say(clock.runs() ? "lesson.stop" : "lesson.start"));
  };
  const minutesTo = last => states.reduce((sum, { minutes }, place) => sum + (place <= last && last !== null ? minutes : 0), 0);
  const listen = event => {
    if (!(event.key in KEYS) || event.ctrlKey || event.metaKey || event.altKey || (event.key === " " && event.composedPath()[0].matches?.("button"))) return;
    event.preventDefault();
    go(KEYS[event.key]);
  };
  channel.onmessage = ({ data: { kind, at: now } }) => {
    if (kind !== "at") return;
    if (here !== null && now > here && !clock.spent()) clock.start();        // the first step on begins the lesson
    here = now;
    show();
  };
  for (const [name, key] of [["back", "lesson.back"], ["forward", "lesson.forward"]]) at(name).title = at(name).ariaLabel = say(key);
  put("nextHead", say("lesson.next"));
  put("reset", say("lesson.reset"));
  at("back").onclick = () => go(-1);
  at("forward").onclick = () => go(1);
  at("run").onclick = () => { clock.runs() ? clock.stop() : clock.start(); tick(); };
  at("reset").onclick = () => { clock.reset(); tick(); };
  addEventListener("keydown", listen);
  const timer = setInterval(() => { if (here === null) ask({ kind: "hello" }); tick(); }, ASK_MS);
  ask({ kind: "hello" });
  show();
  return {
    leave() {
      clearInterval(timer);
      channel.close();
      removeEventListener("keydown", listen);
    },
  };
}

// Seconds of the lesson, which survive a reload of the window: {sum, since}, since null while it stands.
function makeClock(name) {
  const read = () => JSON.parse(sessionStorage.getItem(name)) ?? { sum: 0, since: null };
  const write = clock => sessionStorage.setItem(name, JSON.stringify(clock));
  const spent = () => { const { sum, since } = read(); return sum + (since === null ? 0 : (Date.now() - since) / 1000); };
  const runs = () => read().since !== null;
  return {
    spent, runs,
    start() { if (!runs()) write({ sum: spent(), since: Date.now() }); },
    stop() { write({ sum: spent(), since: null }); },
    reset() { write({ sum: 0, since: null }); },
  };
}

const placeOf = ({ stage, page }, say) => page ? say("lesson.page." + page) : stage === "encore" ? say("stage.encore") : fill(say("stage"), { stage });
const fill = (text, values) => text.replace(/\{(\w+)(?::([^|{}]*)\|([^|{}]*))?\}/g, (found, name, one, many) => one === undefined ? values[name] : values[name] === 1 ? one : many);
const time = seconds => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds) % 60).padStart(2, "0")}`;
