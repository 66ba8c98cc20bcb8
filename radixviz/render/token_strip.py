"""The request as a strip of tokens: what was reused, what is computed, what is written."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from radixviz.render.token_fold import Cell, cells
from radixviz.render.visible import visible
from radixviz.render.words import say
from radixviz.timeline import Frame, SequenceView, Timeline, TokenKind

KINDS: tuple[TokenKind, ...] = ("reused", "pending", "computed", "again", "generated")
LINE_COLUMNS = 148.0
"""Columns of one line of the strip, on a page 1280 px wide."""
_COMPACT_COLUMNS = 112.0
"""Of a line that has its counts at its end."""
_LINES = 3
"""What the foot of the page has room for."""


def token_strips(timeline: Timeline, frame: Frame, lang: str) -> str:
    """Return one strip for each sequence of the stage: one of three lines, or several of one line each."""
    if not frame.sequences:
        return f'<div class="rv-strips"><p class="rv-quiet">{escape(say(lang, "queue.empty"))}</p></div>'
    compact = len(frame.sequences) > 2
    room = strip_room(len(frame.sequences))
    strips = (_strip(timeline, sequence, lang, room) for sequence in frame.sequences)
    return f'<div class="rv-strips{" rv-compact" if compact else ""}">{"".join(strips)}</div>'


def strip_room(strips: int) -> float:
    """Return how many columns each of so many strips has."""
    return _COMPACT_COLUMNS if strips > 2 else _LINES // strips * LINE_COLUMNS


def cell_row(row: Sequence[Cell]) -> str:
    """Return the cells as HTML. The text of a cell is exactly the token's; spaces get a dot from the style sheet."""
    return "".join(_cell(cell) for cell in row)


def spaced(text: str) -> str:
    """Escape `text`, with each space at its ends marked for the style sheet."""
    inner = text.strip(" ")
    lead = len(text) - len(text.lstrip(" "))
    trail = len(text) - lead - len(inner)
    space = '<i class="rv-space"> </i>'
    return space * lead + escape(inner) + space * trail


def _strip(timeline: Timeline, sequence: SequenceView, lang: str, room: float) -> str:
    row = cell_row(cells(sequence.token_ids, sequence.spans, timeline.token_bytes, room))
    cursor = '<i class="rv-cursor"></i>' if sequence.state == "running" and sequence.output_len else ""
    return (
        f'<section class="rv-strip" data-sequence="{escape(sequence.sequence_id)}">'
        f'<div class="rv-strip-head">{_counts(sequence, lang)}{_title(timeline, sequence, lang)}</div>'
        f'<div class="rv-tokens">{row}{cursor}</div></section>'
    )


def _cell(cell: Cell) -> str:
    if cell.folded:
        return f'<span class="rv-more rv-k-{cell.kind}">⋯ +{cell.folded}</span>'
    return (
        f'<span class="rv-token rv-k-{cell.kind}" data-token="{cell.index}" data-kind="{cell.kind}">'
        f"{spaced(cell.text)}</span>"
    )


def _counts(sequence: SequenceView, lang: str) -> str:
    counted = ((kind, sequence.count(kind)) for kind in KINDS)
    return "".join(
        f'<span data-count="{kind}"><b class="rv-n-{kind}">{count}</b> {escape(say(lang, f"tokens.{kind}"))}</span>'
        for kind, count in counted
        if count
    )


def _title(timeline: Timeline, sequence: SequenceView, lang: str) -> str:
    info = timeline.script.requests.get(sequence.request_id)
    label = info.label.get(lang, "") if info else ""
    sample = say(lang, "sample", n=sequence.sample) if sequence.samples > 1 else ""
    parts = [visible(sequence.request_id), sample or label, say(lang, f"state.{sequence.state}")]
    return f'<span class="rv-strip-title">{escape(" · ".join(part for part in parts if part))}</span>'
