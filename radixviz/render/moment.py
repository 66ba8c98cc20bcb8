"""Which sentence of the word lists fits a frame: chosen by its phase and by what happened in it."""

from __future__ import annotations

from collections.abc import Mapping

from radixviz.events import (
    NodeAdded,
    NodeEvicted,
    NodeGrown,
    NodeSplit,
    PageShort,
    PrefillPaused,
    RequestMatched,
    SequenceRetracted,
    SequencesForked,
)
from radixviz.timeline import Frame

Moment = tuple[str, str]
"""The endings of two keys: "say." + the first, "why." + the second."""


def moment(frame: Frame, values: Mapping[str, int]) -> Moment:
    """Return which sentence and which reason fit this frame; `values` are its numbers."""
    if _has(frame, NodeEvicted):
        return "evict", "evict"
    if _has(frame, SequenceRetracted):
        return "retract", "retract"
    if _has(frame, PageShort):
        return "short", "short"
    match frame.phase:
        case "match":
            return _match(frame, values)
        case "lock":
            return _same("lock" if values["held"] else "lock.none")
        case "extend":
            return _same(_extend(frame, values))
        case "decode":
            return _same("decode" if len(frame.requests) == 1 else "decode.several")
        case "cache":
            return _same(_cache(frame, values))
        case "done":
            return _same(_done(frame, values))


def _match(frame: Frame, values: Mapping[str, int]) -> Moment:
    matches = [event for event in frame.events if isinstance(event, RequestMatched)]
    split = _has(frame, NodeSplit)
    if matches and all(event.resumed for event in matches):
        return _same("match.resumed")
    if values["requests"] > 1:
        return "match.batch", "match.batch.split" if split else "match.batch"
    if values["again"]:
        return _same("match.again")
    if not values["prefix"]:
        return _same("match.miss")
    return "match.split" if split else "match.hit", _why_matched(values, split=split)


def _why_matched(values: Mapping[str, int], *, split: bool) -> str:
    if values["cached"] < values["prefix"]:
        return "match.whole"
    if split:
        return "match.split"
    return "match.floored" if values["page_size"] > 1 else "match.hit"


def _extend(frame: Frame, values: Mapping[str, int]) -> str:
    if _has(frame, SequencesForked):
        return "extend.samples"
    if _has(frame, PrefillPaused):
        return "extend.chunk"
    if not values["extended"]:  # it was computed before an eviction that this phase needed as well
        return "extend.ready"
    return "extend.again" if values["again"] and values["requests"] == 1 else "extend"


def _cache(frame: Frame, values: Mapping[str, int]) -> str:
    if _has(frame, NodeGrown):
        return "cache.grown"
    if _has(frame, NodeAdded):
        return "cache.added"
    return "cache.repeated" if values["duplicate_pages"] else "cache.kept"


def _done(frame: Frame, values: Mapping[str, int]) -> str:
    if not frame.requests:
        return "idle" if frame.tree.nodes else "idle.empty"
    if values["requests"] > 1:
        return "done.several"
    return "done.samples" if values["samples"] > 1 else "done"


def _same(ending: str) -> Moment:
    return ending, ending


def _has(frame: Frame, kind: type) -> bool:
    return any(isinstance(event, kind) for event in frame.events)
