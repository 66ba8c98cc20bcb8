"""The scale of the projector view: boxes say less, in letters twice as large, for the last row of a room."""

from __future__ import annotations

from radixviz.render.tree_scale import COLUMN_WIDTH, HEAD_HEIGHT, LINE_HEIGHT, MARGIN, TreeScale

FAR_WIDTH, FAR_HEIGHT = 610.0, 203.0
"""What the projector view has for the tree at 1280 x 720: there a unit is two pixels."""
_WIDEST_BOX, _NARROWEST_BOX = 196.0, 56.0
_WIDEST_GAP, _NARROWEST_GAP = 34.0, 17.0
_ROOT_Y, _FIRST_GAP, _PADDING = 8.0, 17.0, 7.0
_NAME_COLUMN = 9.0
_LEVELS = 3
"""With more levels than these there is no room for text in the boxes."""


def fit_far(boxes_wide: float, levels: int) -> TreeScale:
    """Return the scale for a drawing that is so many boxes wide and so many levels deep.

    A box has one line of text, and none in a tree of many levels.
    """
    box_width = max(_NARROWEST_BOX, min(_WIDEST_BOX, (FAR_WIDTH - 2 * MARGIN) / boxes_wide))
    box_height = HEAD_HEIGHT + (LINE_HEIGHT + 5 if levels <= _LEVELS else 3)
    room = FAR_HEIGHT - _ROOT_Y - _FIRST_GAP - MARGIN
    gap = max(_NARROWEST_GAP, min(_WIDEST_GAP, (room - levels * box_height) / max(levels - 1, 1)))
    return TreeScale(
        box_width,
        int((box_width - 2 * _PADDING) / COLUMN_WIDTH) if levels <= _LEVELS else 0,
        gap,
        max(FAR_WIDTH, boxes_wide * box_width + 2 * MARGIN),
        max(FAR_HEIGHT, FAR_HEIGHT - room + levels * (box_height + gap) - gap),
        box_height,
        _FIRST_GAP,
        _ROOT_Y,
        _PADDING,
        _NAME_COLUMN,
        counts_holders=False,
    )
