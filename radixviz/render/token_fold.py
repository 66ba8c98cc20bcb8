"""Which tokens of a request a strip shows, and where it says that some are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from radixviz.render.visible import columns, visible_bytes
from radixviz.timeline import TokenKind, TokenSpan

_LINE_COLUMNS = 148.0
"""Columns of one line of the strip, on a page 1280 px wide."""
_COMPACT_COLUMNS = 112.0
"""Of a line that has its counts at its end."""
_LINES = 3
"""What the foot of the page has room for."""
_CELL_COLUMNS = 1.4
"""What a cell needs beside its text: padding and gap."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One token of the strip, or `folded` tokens left out (then `text` is empty)."""

    index: int
    kind: TokenKind
    text: str
    folded: int = 0


def strip_room(strips: int) -> float:
    """Return how many columns each of so many strips has."""
    return _COMPACT_COLUMNS if strips > 2 else _LINES // strips * _LINE_COLUMNS


def cells(
    token_ids: Sequence[int], spans: Sequence[TokenSpan], token_bytes: Mapping[int, bytes], room: float
) -> list[Cell]:
    """Return the cells of a strip of about `room` columns: the middle of each run too long for it is folded."""
    runs = _runs(token_ids, spans, token_bytes)
    most = _share([_width(run) for run in runs], room)
    return [cell for run in runs for cell in (run if _width(run) <= most else _fold(run, most))]


def _runs(token_ids: Sequence[int], spans: Sequence[TokenSpan], token_bytes: Mapping[int, bytes]) -> list[list[Cell]]:
    runs = []
    start = 0
    for span in spans:
        ids = enumerate(token_ids[start : start + span.count], start)
        runs.append([Cell(index, span.kind, visible_bytes(token_bytes[token])) for index, token in ids])
        start += span.count
    return [run for run in runs if run]


def _width(run: Sequence[Cell]) -> float:
    return sum(columns(cell.text) + _CELL_COLUMNS for cell in run)


def _share(widths: Sequence[float], room: float) -> float:
    """Return the most that one run may take, so that all together fit `room`: short ones leave theirs to the long."""
    left = room
    for rank, width in enumerate(sorted(widths)):
        fair = left / (len(widths) - rank)
        if width > fair:
            return fair
        left -= width
    return room


def _fold(run: list[Cell], room: float) -> list[Cell]:
    """Keep the two ends of a run and put one cell for the tokens left out between them."""
    half = (room - 8) / 2
    head = _fitting(run, half)
    tail = _fitting(run[::-1], half)
    hidden = len(run) - head - tail
    if hidden <= 1:
        return run
    sign = Cell(run[head].index, run[head].kind, "", hidden)
    return [*run[:head], sign, *run[len(run) - tail :]]


def _fitting(run: Sequence[Cell], room: float) -> int:
    count, used = 0, 0.0
    for cell in run:
        used += columns(cell.text) + _CELL_COLUMNS
        if used > room:
            break
        count += 1
    return max(count, 1)
