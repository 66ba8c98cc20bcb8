"""Large trees: quiet subtrees are folded into the box above them, with a count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from radixviz.render.tree_boxes import TreeBox

MOST_BOXES = 60
"""A tree of more boxes than these is folded."""

_Children = Mapping[str | None, Sequence["TreeBox"]]


def fold_boxes(boxes: Sequence[TreeBox], most: int = MOST_BOXES) -> tuple[TreeBox, ...]:
    """Return the boxes to draw: all when there are at most `most`, else those that are near the root or at work.

    `hidden` of a box is how many boxes are folded below it. What is new, hit, held, evicted or running is never
    folded, nor is what lies above it; the rest is shown level by level while there is room for all the children of a
    box.
    """
    if len(boxes) <= most:
        return tuple(boxes)
    children = _children(boxes)
    shown = _shown(boxes, children, most)
    return tuple(
        replace(box, hidden=0 if _all_shown(box, children, shown) else _count_below(box, children))
        for box in boxes
        if box.key in shown
    )


def _children(boxes: Sequence[TreeBox]) -> _Children:
    found: dict[str | None, list[TreeBox]] = {None: [], **{box.key: [] for box in boxes}}
    for box in boxes:
        found[box.parent if box.parent in found else None].append(box)
    return found


def _shown(boxes: Sequence[TreeBox], children: _Children, most: int) -> set[str]:
    opened = _above_work(boxes)
    level = list(children[None])
    room = most - len(level) - sum(len(children[key]) for key in opened)
    for box in level:  # grows while it is read, level by level
        below = children[box.key]
        if box.key in opened:
            level += below
        elif len(below) <= room:
            room -= len(below)
            level += below
    return {box.key for box in level}


def _above_work(boxes: Sequence[TreeBox]) -> set[str]:
    """Return the keys of all boxes that something new, hit, held, evicted or running lies below."""
    by_key = {box.key: box for box in boxes}
    found: set[str] = set()
    for box in boxes:
        parent = by_key.get(box.parent or "") if box.lock_ref or box.kind != "node" or box.look != "cached" else None
        while parent is not None and parent.key not in found:
            found.add(parent.key)
            parent = by_key.get(parent.parent or "")
    return found


def _all_shown(box: TreeBox, children: _Children, shown: set[str]) -> bool:
    return all(child.key in shown for child in children[box.key])


def _count_below(box: TreeBox, children: _Children) -> int:
    found = list(children[box.key])
    for one in found:  # grows while it is read
        found += children[one.key]
    return len(found)
