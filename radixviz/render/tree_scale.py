"""One scale for all frames of a stage, so that boxes keep their size and the text is never shrunk."""

from __future__ import annotations

from dataclasses import dataclass, replace

from radixviz.render.dot import box_numbers
from radixviz.render.edge_text import MOST_COLUMNS, MOST_LINES
from radixviz.render.layout import Layout
from radixviz.render.tree_boxes import TreeBox

CANVAS_WIDTH = 820.0
CANVAS_HEIGHT = 426.0
"""What the page has for the tree at 1280 x 800: at this size a unit of the drawing is a pixel."""
PADDING = 11.0
LINE_HEIGHT = 15.0
HEAD_HEIGHT = 27.0
BOX_HEIGHT = HEAD_HEIGHT + MOST_LINES * LINE_HEIGHT + 7
ROOT_Y = 12.0
COLUMN_WIDTH = 7.3
"""Of a 12 px fixed-width font, rounded up."""
FIRST_GAP = 24.0
NAME_COLUMN = 8.2
"""Of a bold 13 px letter, on average."""
_WIDEST_BOX = MOST_COLUMNS * COLUMN_WIDTH + 2 * PADDING
_NARROWEST_BOX = 112.0
_WIDEST_GAP, _NARROWEST_GAP = 60.0, 21.0
MARGIN = 3.0
_PRINTED_GAP = 30.0


@dataclass(frozen=True, slots=True)
class TreeScale:
    """Sizes in units of the drawing; `columns` is what fits one line of a box."""

    box_width: float
    columns: int
    gap: float
    canvas_width: float
    canvas_height: float
    box_height: float = BOX_HEIGHT
    first_gap: float = FIRST_GAP
    root_y: float = ROOT_Y
    padding: float = PADDING
    name_column: float = NAME_COLUMN
    counts_holders: bool = True
    """Whether a lock says how many hold the node."""

    def top(self, rank: int) -> float:
        """Return the upper edge of the boxes of this rank (1: the children of the root)."""
        return self.root_y + self.first_gap + (rank - 1) * (self.box_height + self.gap)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a box is drawn: its upper left corner."""

    x: float
    y: float


def fit(boxes_wide: float, levels: int) -> TreeScale:
    """Return the scale for a drawing that is so many boxes wide and so many levels deep."""
    box_width = max(_NARROWEST_BOX, min(_WIDEST_BOX, (CANVAS_WIDTH - 2 * MARGIN) / boxes_wide))
    columns = min(MOST_COLUMNS, int((box_width - 2 * PADDING) / COLUMN_WIDTH))
    room = CANVAS_HEIGHT - ROOT_Y - FIRST_GAP - 3
    gaps = (room - levels * BOX_HEIGHT) / max(levels - 1, 1)
    gap = max(_NARROWEST_GAP, min(_WIDEST_GAP, gaps))
    needed = CANVAS_HEIGHT - room + levels * (BOX_HEIGHT + gap) - gap
    return TreeScale(
        box_width, columns, gap, max(CANVAS_WIDTH, boxes_wide * box_width + 2 * MARGIN), max(CANVAS_HEIGHT, needed)
    )


def fit_alone(boxes_wide: float, levels: int) -> TreeScale:
    """Return the scale for one drawing that need not match others: it is no higher than its boxes are."""
    scale = fit(boxes_wide, levels)
    gap = min(scale.gap, _PRINTED_GAP)
    below = FIRST_GAP + levels * (BOX_HEIGHT + gap) - gap if levels else MARGIN
    return replace(scale, gap=gap, canvas_height=ROOT_Y + below + MARGIN)


def spots(boxes: tuple[TreeBox, ...], layout: Layout, scale: TreeScale) -> dict[str | None, Spot]:
    """Return the corner of each box by its key, and under None the middle of the root; all centred."""
    left = (scale.canvas_width - layout.width * scale.box_width) / 2
    found: dict[str | None, Spot] = {None: Spot(left + layout.places[0].x * scale.box_width, ROOT_Y)}
    for key, number in box_numbers(boxes).items():
        place = layout.places[number]
        x = left + (place.x - 0.5) * scale.box_width
        found[key] = Spot(round(x, 1), round(scale.top(place.rank), 1))
    return found
