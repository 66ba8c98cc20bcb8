// Ways through the frames. Ends do not wrap; whoever moves by hand stops the playing and closes what covers the figure.
const PLAY_MS = 1800;

export function makeTravel(store, model) {
  const { stages, intro } = model.data;
  const stops = () => [...stages.flatMap(info => info.stops), ...travel.pauses()].sort((one, other) => one - other);
  const starts = [model.first, ...stages.filter(info => info.frames).map(info => info.first)];
  const at = () => store.state.frame;
  const go = frame => store.set({ frame: model.clamp(frame), notices: null, playing: false, open: null });
  const jump = (places, by) => go((by > 0 ? places.find(one => one > at()) : places.findLast(one => one < at())) ?? by * Infinity);
  let timer = 0;
  const travel = {
    go,
    step: by => go(at() + by),
    stop: by => jump(stops(), by),
    stage: by => jump(starts, by),
    home: () => go(-Infinity),
    end: () => go(Infinity),
    open(stage) {                                      // 0 is the introduction
      const info = stages.find(one => one.stage === stage && one.frames);
      if (info || (stage === 0 && intro)) go(info ? info.first : -1);
    },
    play() {
      const begin = !store.state.playing;
      store.set({ playing: begin && model.last > model.first, open: null, frame: begin && at() >= model.last ? model.first : at() });
    },
    pauses: () => [],                                  // where else it is worth pausing
    tick() {
      const next = model.clamp(at() + 1);
      store.set({ frame: next, notices: null, playing: next < model.last && !stops().includes(next) });
    },
    speed: () => store.set({ speed: { 0.5: 1, 1: 2, 2: 0.5 }[store.state.speed] }),
    // Waits for the next frame while playing, and pauses at the author's stops and at the end.
    update(before, now) {
      if (before && before.playing === now.playing && before.frame === now.frame && before.speed === now.speed) return;
      clearTimeout(timer);
      if (now.playing) timer = setTimeout(() => travel.tick(), PLAY_MS / now.speed);
    },
    leave: () => clearTimeout(timer),
  };
  return travel;
}
