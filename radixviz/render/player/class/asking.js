// Predict, then reveal: which question is open, what is seen until it is answered, and the answers so far.
//   state.ask      whether questions are asked
//   state.answers  {number of a question: {said, right}}; `right` is null where the answer was shown before one was given
// While a question is open the views see the frame at half a step before its own: what was there before, with the
// question as its sentence. So an answer is a step like any other to them.
import { frameView } from "../model.js";

const HALF = 0.5;
const isIn = ({ first, frames }, frame) => frame >= first && frame < first + frames;

export function makeAsking(store, model, travel) {
  const { questions, stages } = model.data, { view } = model, covered = new Map();
  const at = new Map(questions.map(({ frame }, number) => [frame, number]));
  const isOpen = ({ ask, answers }, number) => ask && number !== undefined && !(number in answers);
  const open = state => isOpen(state, at.get(state.frame)) ? questions[at.get(state.frame)] : null;
  const keep = (number, answer) => store.set({ answers: { ...store.state.answers, [number]: answer }, notices: null });

  model.view = index => {
    if (Number.isInteger(index)) return view(index);
    if (!covered.has(index)) covered.set(index, frameView(model.data, questions[at.get(index + HALF)].before, index));
    return covered.get(index);
  };

  // Shows the answer of an open question, which then counts for nothing. Whether there was one.
  const reveal = () => {
    const asked = open(store.state);
    if (asked) keep(at.get(asked.frame), { said: null, right: null });
    return Boolean(asked);
  };
  const { step, stop, tick } = travel;
  travel.step = by => by > 0 && reveal() || step(by);
  travel.stop = by => by > 0 && reveal() || stop(by);
  travel.tick = () => reveal() || tick();
  travel.pauses = () => questions.filter((_, number) => isOpen(store.state, number)).map(({ frame }) => frame);

  return {
    open,
    // The state as the views get it.
    seen: state => open(state) ? { ...state, frame: state.frame - HALF, selected: null } : state,
    answer(said) {
      const asked = open(store.state);
      if (asked) keep(at.get(asked.frame), { said, right: asked.right.includes(said) });
    },
    // What was answered to the question of this frame, {said, right, question}; null where nothing was.
    answered({ ask, answers, frame }) {
      const number = at.get(frame);
      return ask && number in answers ? { ...answers[number], question: questions[number] } : null;
    },
    // How many were answered, how many of them right, and the stages of the others that were asked.
    sum({ answers }) {
      const given = Object.values(answers).filter(({ right }) => right !== null);
      const missed = questions.filter((_, number) => number in answers && !answers[number].right);
      return { n: given.length, right: given.filter(({ right }) => right).length, again: stages.filter(info => missed.some(({ frame }) => isIn(info, frame))) };
    },
    // Goes to a stage and asks there again what was not answered right.
    again(stage) {
      const info = stages.find(one => one.stage === stage);
      const kept = Object.entries(store.state.answers).filter(([number, { right }]) => right || !isIn(info, questions[number].frame));
      store.set({ answers: Object.fromEntries(kept) });
      travel.open(stage);
    },
    toggle: () => store.set({ ask: !store.state.ask, answers: {}, playing: false }),
  };
}
