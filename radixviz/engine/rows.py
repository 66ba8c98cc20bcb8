"""Rows: what a model needs to know of a sequence for one forward pass."""

from __future__ import annotations

from radixviz.engine.request import Draw, Sequence
from radixviz.engine.runner import DecodeRow, ExtendRow


def extend_row(sequence: Sequence, end: int) -> ExtendRow:
    """Return the row that computes `sequence` from where it is to `end`; all its samples draw at the prompt's end."""
    request, start = sequence.request, sequence.computed_len
    draws: tuple[Draw, ...] = ()
    if end == len(sequence.token_ids):
        draws = (sequence.draw, *(request.draw(sample) for sample in range(2, sequence.forks + 2)))
    tokens = tuple(sequence.token_ids[start:end])
    return ExtendRow(sequence.sequence_id, tokens, start, tuple(sequence.slots[:end]), draws)


def decode_row(sequence: Sequence) -> DecodeRow:
    """Return the row that feeds `sequence` its last token."""
    slots = tuple(sequence.slots[: len(sequence.token_ids)])
    return DecodeRow(sequence.sequence_id, sequence.token_ids[-1], slots, sequence.draw)
