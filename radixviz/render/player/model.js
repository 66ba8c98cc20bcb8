// The data of radixviz/render/player_data.py, decoded on demand: view(index) is everything about one frame.
export function makeModel(data) {
  const views = new Map();
  const first = data.intro ? -1 : 0;
  const last = Math.max(data.frames.length - 1, first);
  const model = {
    data, first, last,
    clamp: index => Math.min(Math.max(index, first), last),
    // The text of a language with its {values} filled in; {n:page|pages} is the word for one or for any other number.
    say: (lang, key, values = {}) => (data.words[lang][key] ?? "").replace(/\{(\w+)(?:\|\w+|:([^|{}]*)\|([^|{}]*))?\}/g, (found, name, one, many) =>
      one === undefined ? values[name] : values[name] === 1 ? one : many),
    view(index) {
      if (!views.has(index)) views.set(index, index < 0 ? introView(data) : frameView(data, data.frames[index], index));
      return views.get(index);
    },
    // Panels come in one by one, so that a beginner sees no more than the stage needs.
    panels: ({ frame, expert }) => new Set(expert ? data.panels : model.view(frame).panels),
    token: id => data.tokens[id] ?? "",
  };
  return model;
}

// [[first, count], ...] -> [first, first + 1, ...]
export function pages(runs) {
  return runs.flatMap(([first, count]) => Array.from({ length: count }, (_, step) => first + step));
}

function introView({ intro }) {
  return {
    index: -1, intro, frame: null, stage: 0, mark: "0", place: intro.short, panels: [], stageIndex: -1, n: 1, of: 1, phase: "why",
    boxes: [], byKey: new Map(), layout: null, scale: null, pages: [], freed: new Set(), seqs: [],
  };
}

export function frameView(data, frame, index) {
  const info = data.stages[frame.s];
  const boxes = frame.boxes.map(place => data.boxes[place]);     // the same object while nothing about a box has changed
  return {
    index, frame, intro: null, stage: info.stage, mark: info.mark, place: frame.place, panels: info.panels, stageIndex: frame.s, n: frame.n, of: info.frames, phase: frame.phase,
    boxes, byKey: new Map(boxes.map(box => [box.key, box])),
    layout: data.layouts[frame.layout] ?? null, scale: data.scales[info.scale],
    pages: frame.pages.flatMap(([state, holder, count]) => Array(count).fill({ state, holder })),   // page p is pages[p - 1]
    freed: new Set(pages(frame.freed)),
    seqs: frame.seqs.map(seq => ({ ...data.sequences[seq.id], ...seq })),
  };
}
