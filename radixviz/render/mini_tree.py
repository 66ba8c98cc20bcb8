"""A stage's tree in small, for the overview of all stages: lines, and boxes with a letter or a name."""

from __future__ import annotations

from collections.abc import Sequence

from radixviz.render.layout import Layout, Place
from radixviz.render.table import Json
from radixviz.render.tree_boxes import TreeBox

WIDTH = 372
_TOP, _ROOT_Y = 18, 6
_BOX, _GAP, _APART = 22, 12, 4
_WIDEST = 96
_LEAST_RANKS = 3


def mini_tree(boxes: Sequence[TreeBox], layout: Layout) -> Json:
    """Return the drawing, which is WIDTH wide, as numbers.

    `height`; `box`, the height of a box; `root` [x, y]; `lines` [[look, x1, y1, x2, y2], ...]; and `boxes` [[look, x of
    the middle, y of the upper edge, width, text, whether the text is a letter], ...].
    """
    unit = min(_WIDEST, (WIDTH - _APART) / layout.width)
    left = (WIDTH - unit * layout.width) / 2
    keys = {box.key: index + 1 for index, box in enumerate(boxes)}
    spots = {number: (round(left + place.x * unit, 1), _top(place)) for number, place in layout.places.items()}
    lines: list[list[object]] = []
    drawn: list[list[object]] = []
    for box in boxes:
        x, y = spots[keys[box.key]]
        above = keys.get(box.parent or "", 0)
        lines.append([look_class(box), *_foot(spots[above], above), x, y])
        drawn.append(
            [look_class(box), x, y, round(unit - _APART, 1), box.letter or box.name.split(" ")[0], bool(box.letter)]
        )
    ranks = max(layout.ranks - 1, _LEAST_RANKS)
    return {"height": _TOP + ranks * (_BOX + _GAP), "box": _BOX, "root": spots[0], "lines": lines, "boxes": drawn}


def look_class(box: TreeBox) -> str:
    """Return the class of the style sheet for a box."""
    if box.kind == "node":
        return f"rv-{box.look}"
    return {"ghost": "rv-evicted", "running": "rv-running", "missing": "rv-missing"}[box.kind]


def _top(place: Place) -> float:
    return _TOP + (place.rank - 1) * (_BOX + _GAP) if place.rank else _ROOT_Y


def _foot(spot: tuple[float, float], number: int) -> tuple[float, float]:
    return (spot[0], spot[1] + _BOX) if number else spot
