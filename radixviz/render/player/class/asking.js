// Predict, then reveal: which question is open, what is seen until it is answered, and the answers so far.
//   state.ask      whether questions are asked
//   state.answers  {index of a question's frame: {said, right}}; `right` is null where the answer was shown before one was
//                  given
// While a question is open the views see the frame at half a step before its own: what was there before, with the
// question as its sentence. So an answer is a step like any other to them.
import { frameView } from "../model.js";

const HALF = 0.5;
const isIn = ({ first, frames }, frame) => frame >= first && frame < first + frames;

export function makeAsking(store, model, travel) {
  const { stages } = model.data, { view } = model, covered = new Map();
  const questions = new Map(model.data.questions.map(question => [question.frame, question]));
  const isOpen = ({ ask, answers }, frame) => ask && questions.has(frame) && !(frame in answers);
  const open = state => isOpen(state, state.frame) ? questions.get(state.frame) : null;
  const keep = answer => store.set({ answers: { ...store.state.answers, [store.state.frame]: answer }, notices: null });

  model.view = index => {
    if (Number.isInteger(index)) return view(index);
    if (!covered.has(index)) covered.set(index, frameView(model.data, questions.get(index + HALF).before, index));
    return covered.get(index);
  };

  // Shows the answer of an open question, which then counts for nothing. Whether there was one.
  const reveal = () => {
    const asked = open(store.state);
    if (asked) keep({ said: null, right: null });
    return Boolean(asked);
  };
  const { step, stop, tick } = travel;
  travel.step = by => by > 0 && reveal() || step(by);
  travel.stop = by => by > 0 && reveal() || stop(by);
  travel.tick = () => reveal() || tick();
  travel.pauses = () => [...questions.keys()].filter(frame => isOpen(store.state, frame));

  return {
    open,
    // The state as the views get it.
    seen: state => open(state) ? { ...state, frame: state.frame - HALF, selected: null } : state,
    answer(said) {
      const asked = open(store.state);
      if (asked) keep({ said, right: asked.right.includes(said) });
    },
    // What was answered to the question of this frame, {said, right, question}; null where nothing was.
    answered({ ask, answers, frame }) {
      return ask && frame in answers && questions.has(frame) ? { ...answers[frame], question: questions.get(frame) } : null;
    },
    // How many were answered, how many of them right, and the stages of the others that were asked.
    sum({ answers }) {
      const given = Object.values(answers).filter(({ right }) => right !== null);
      const missed = Object.keys(answers).filter(frame => !answers[frame].right).map(Number);
      const again = stages.filter(info => missed.some(frame => isIn(info, frame)));
      return { n: given.length, right: given.filter(({ right }) => right).length, again };
    },
    // Goes to a stage and asks there again what was not answered right.
    again(stage) {
      const info = stages.find(one => one.stage === stage);
      const kept = Object.entries(store.state.answers).filter(([frame, { right }]) => right || !isIn(info, Number(frame)));
      store.set({ answers: Object.fromEntries(kept) });
      travel.open(stage);
    },
    toggle: () => store.set({ ask: !store.state.ask, answers: {}, playing: false }),
  };
}
