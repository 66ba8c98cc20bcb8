"""Which boxes of a frame hold the tokens of a sequence."""

from __future__ import annotations

from collections.abc import Sequence

from radixviz.render.tree_boxes import TreeBox
from radixviz.timeline import SequenceView

Segment = tuple[str, int, int]
"""The key of a box, and which tokens of the sequence it holds: from, to."""


def segments(view: SequenceView, boxes: Sequence[TreeBox]) -> list[Segment]:
    """Return the boxes that hold its tokens from the root down; none while it waits, unmatched."""
    if view.state == "waiting" and not view.prefix_len:
        return []
    own = next((box for box in boxes if box.kind == "running" and box.sequence_id == view.sequence_id), None)
    found: list[Segment] = []
    place = 0
    box = _below(None, boxes, view.token_ids)
    while box is not None:
        found.append((box.key, place, min(place + len(box.token_ids), len(view.token_ids))))
        place += box.stored
        if own is not None and box.key == own.parent:  # what follows is in its own pages, even if it is below too
            break
        box = _below(box.key, boxes, view.token_ids[place:])
    return [*found, (own.key, place, place + len(own.token_ids))] if own else found


def _below(key: str | None, boxes: Sequence[TreeBox], ids: tuple[int, ...]) -> TreeBox | None:
    """Return the node below `key` whose stored tokens are those that come next."""
    children = (box for box in boxes if box.kind == "node" and box.parent == key)
    return next((box for box in children if box.stored and box.token_ids[: box.stored] == ids[: box.stored]), None)
