"""The frame as it was before: what is shown while its question is open, so that nothing in it tells the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from radixviz.timeline import Frame, NodeMark, Queue, SequenceView, Timeline, TokenSpan

_PLAIN = NodeMark("cached")


def frame_before(timeline: Timeline, frame: Frame) -> Frame:
    """Return what the frame before left behind, in the place of this one.

    Where a stage begins, the looks of the last one are over, and its requests wait with all their prompt to come.
    """
    earlier = timeline.frames[max(frame.index - 1, 0)]
    place = replace(
        earlier,
        index=frame.index,
        stage=frame.stage,
        stage_frame=frame.stage_frame,
        phase=frame.phase,
        requests=frame.requests,
        events=(),
        stop=None,
        question=None,
    )
    if earlier.stage == frame.stage:
        return place
    return replace(
        place,
        ghosts=(),
        missing=(),
        sequences=tuple(map(_arrived, frame.sequences)),
        queue=Queue(waiting=frame.requests),
        labels=_rested(earlier, frame.labels),
    )


def _arrived(view: SequenceView) -> SequenceView:
    return replace(
        view,
        token_ids=view.token_ids[: view.prompt_len],
        spans=(TokenSpan("pending", view.prompt_len),),
        prefix_len=0,
        cached_tokens=0,
        state="waiting",
        node_id=None,
        tail_len=0,
        tail_pages=(),
    )


def _rested(earlier: Frame, now: Mapping[int, NodeMark]) -> dict[int, NodeMark]:
    """Return the marks of the tree's nodes: nothing is new or hit any more, and letters are those of the new stage."""
    marks = dict[int, NodeMark]()
    for node in earlier.tree.nodes:
        old = earlier.labels.get(node.node_id, _PLAIN)
        new = now.get(node.node_id, old)
        marks[node.node_id] = NodeMark("cached", old.name, new.letter, new.letters)
    return marks
