"""Expectations: what a scenario says its stages show, held against what happened."""

from __future__ import annotations

from collections.abc import Iterator

from radixviz.events import NodeEvicted, NodeSplit
from radixviz.scenario.schema import StageSpec
from radixviz.timeline import UNNAMED, Frame, Unmet


def unmet_in(spec: StageSpec, frames: list[Frame]) -> Iterator[Unmet]:
    """Yield every expectation of this stage that its frames do not meet."""
    yield from _unmet_hits(spec, frames[-1])
    yield from _unmet_evictions(spec, frames)
    yield from _unmet_looks(spec, frames[-1])
    split = any(isinstance(event, NodeSplit) for frame in frames for event in frame.events)
    if split != spec.expect.split:
        yield Unmet(spec.stage, "split", "", _yes_no(spec.expect.split), _yes_no(split))


def _evicted(frames: list[Frame]) -> list[str]:
    """Return the nodes evicted in these frames, in order: the letter of each, else its name, else `UNNAMED`."""
    ids = [event.node_id for frame in frames for event in frame.events if isinstance(event, NodeEvicted)]
    marks = (frames[-1].labels.get(node_id) for node_id in ids)
    return [(mark.letter or mark.name if mark else None) or UNNAMED for mark in marks]


def _unmet_hits(spec: StageSpec, last: Frame) -> Iterator[Unmet]:
    cached = {view.sequence_id: view.cached_tokens for view in last.sequences}
    for sequence_id in spec.expect.hit:
        if not cached.get(sequence_id):
            yield Unmet(spec.stage, "hit", sequence_id, "> 0", str(cached.get(sequence_id, 0)))
    for sequence_id in spec.expect.miss:
        if cached.get(sequence_id):
            yield Unmet(spec.stage, "hit", sequence_id, "0", str(cached[sequence_id]))


def _unmet_evictions(spec: StageSpec, frames: list[Frame]) -> Iterator[Unmet]:
    found = ", ".join(_evicted(frames))
    expected = ", ".join(spec.expect.evicted)
    if found != expected:
        yield Unmet(spec.stage, "evicted", "", expected, found)


def _unmet_looks(spec: StageSpec, last: Frame) -> Iterator[Unmet]:
    looks = {name: mark.look for mark in last.labels.values() for name in (mark.name or "").split(" + ")}
    for name, look in spec.expect.looks.items():
        if looks.get(name) != look:
            yield Unmet(spec.stage, "look", name, look, looks.get(name, ""))


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"
