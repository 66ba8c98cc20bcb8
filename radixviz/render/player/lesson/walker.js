// Walks the states of a lesson beside the player. A state is an address; the player follows it as it follows Back.
// A component of its own: `data` is {id, scenario, lang, words: {en, zh}, states: [{title, minutes, notes, pause (each
// {en, zh}; pause or null), scenario, page, stage, frame, lang, ask}], known}. `page` is null for the tour; a state's
// frame counts only where `known` is true, and is remembered for pages where it is not. The presenter window hears where
// the lesson is over a BroadcastChannel, and may ask to go elsewhere: {kind: "at" | "go", at}, {kind: "hello"}.
const CLICKER = { PageDown: 1, PageUp: -1 };
const LOOK_MS = 500;         // so often the address is looked at: the projector view has no bar
const WINDOW = "popup,width=1000,height=680";

export default function ({ data, parentElement }) {
  const host = parentElement.querySelector(".lesson");
  if (host.walker?.id !== data.id) {
    host.walker?.leave();
    host.walker = makeWalker(host, data);
  }
  host.walker.take(data);
  return () => {
    host.walker?.leave();
    host.walker = null;
  };
}

function makeWalker(host, first) {
  const [pause, bar, count, title, back, forward, presenter] = host.querySelectorAll(".pause, .bar, .count, .title, button");
  const kept = "radixviz.lesson." + first.id, frames = kept + ".frames", channel = new BroadcastChannel(kept);
  let data = first, at = null;  // null: nobody has moved yet, so the address tells
  const said = words => languages(data).map(lang => words[lang]);
  const here = () => at ?? whereNow(data, Number(sessionStorage.getItem(kept) ?? NaN));
  const tell = () => channel.postMessage({ kind: "at", at: here() });
  const go = to => {
    at = Math.min(Math.max(to, 0), data.states.length - 1);
    sessionStorage.setItem(kept, at);
    follow(data, data.states[at]);
    show();
    tell();
  };
  const show = () => {
    const now = here(), state = data.states[now], lang = languages(data)[0], say = key => data.words[lang][key];
    bar.hidden = new URL(location.href).searchParams.get("present") === "1";
    count.textContent = `${now + 1} / ${data.states.length}`;
    title.textContent = state.title[lang];
    for (const [button, key] of [[back, "lesson.back"], [forward, "lesson.forward"], [presenter, "lesson.presenter"]]) button.title = button.ariaLabel = say(key);
    presenter.textContent = say("lesson.presenter");
    pause.hidden = !state.pause || !isAt(state);
    const lines = state.pause ? said(state.pause) : [];
    if (pause.textContent !== lines.join("")) pause.replaceChildren(...lines.map(line => Object.assign(document.createElement("p"), { textContent: line })));
  };
  const open = () => {
    const address = addressOf(null);
    address.search = new URLSearchParams({ lesson: data.id, lang: address.searchParams.get("lang") ?? data.lang, presenter: 1 });
    window.open(address, kept, WINDOW);
  };
  const listen = event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.composedPath()[0])) return;
    if (event.key === "PageDown" && isAsking()) return;      // the player shows the answer first
    const act = event.key in CLICKER ? () => go(here() + CLICKER[event.key]) : event.key.toLowerCase() === "n" ? open : null;
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  };
  const lead = to => to > here() && isAsking() ? dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown" })) : go(to);
  back.onclick = () => go(here() - 1);
  forward.onclick = () => lead(here() + 1);
  presenter.onclick = open;
  channel.onmessage = ({ data: { kind, at: to } }) => kind === "go" ? lead(to) : kind === "hello" && tell();
  addEventListener("keydown", listen, true);       // before the player, which would go to the next stop
  const timer = setInterval(show, LOOK_MS);
  return {
    id: first.id,
    take(next) {
      data = next;
      const known = JSON.parse(sessionStorage.getItem(frames));
      if (data.known) sessionStorage.setItem(frames, JSON.stringify(data.states.map(one => one.frame)));
      else if (known) data = { ...data, states: data.states.map((one, at) => ({ ...one, frame: known[at] })) };
      show();
      tell();
    },
    leave() {
      clearInterval(timer);
      channel.close();
      removeEventListener("keydown", listen, true);
    },
  };
}

// The state that this tab showed last, if the address still says so, else the last one that the address has come to.
function whereNow({ states }, kept) {
  if (states[kept] && isAt(states[kept])) return kept;
  const { stage, frame } = place();
  if (pageHere()) return Math.max(0, states.findIndex(one => one.page));
  return Math.max(0, states.findLastIndex(one => !one.page && String(one.stage) === stage && one.frame <= frame), states.findIndex(one => String(one.stage) === stage));
}

const isAt = state => state.page === pageHere() && Boolean(state.page || (String(state.stage) === place().stage && state.frame === place().frame));

// The page that the address names: the last part of its path, as the app's pages have it.
const PROOF = /\/proof\/?$/;
const pageHere = () => PROOF.test(location.pathname) ? "proof" : null;

function addressOf(page) {
  const address = new URL(location.href), tour = address.pathname.replace(PROOF, "/");
  address.pathname = page ? tour.replace(/\/?$/, "/" + page) : tour;
  return address;
}

function place() {
  const asked = new URL(location.href).searchParams;
  return { stage: asked.get("stage") ?? "0", frame: Number(asked.get("frame") ?? 1) };
}

function follow({ scenario }, state) {
  const address = addressOf(state.page), asked = address.searchParams;
  asked.set("stage", state.stage);
  asked.set("frame", state.frame);
  if (state.lang) asked.set("lang", state.lang);
  if (state.ask) asked.delete("ask");
  if (state.ask === false) asked.set("ask", "0");
  const isOther = state.scenario !== (asked.get("scenario") ?? scenario);
  if (isOther) asked.set("scenario", state.scenario);
  if (isOther || state.page !== pageHere()) {
    location.assign(address);
    return;
  }
  if (address.href !== location.href) history.pushState(history.state, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
}

// The languages in which the page speaks now, the one that stands once first.
function languages({ lang }) {
  const asked = new URL(location.href).searchParams.get("lang") ?? lang;
  return asked === "both" ? ["zh", "en"] : [asked === "zh" ? "zh" : "en"];
}

// Whether the player, in the shadow of a component of its own, has an open question.
const isAsking = () => [...document.querySelectorAll("*")].some(({ shadowRoot }) => shadowRoot?.querySelector("[data-testid=player][data-asking]"));

const isTyping = target => Boolean(target.isContentEditable || target.matches?.("textarea, select, input"));
