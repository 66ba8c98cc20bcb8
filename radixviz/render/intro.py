"""The introduction: prompts with the same beginning, before any of them runs."""

from __future__ import annotations

from collections.abc import Sequence


def shared_length(rows: Sequence[Sequence[bytes]]) -> int:
    """Return how many tokens all rows have in common at their beginning."""
    count = 0
    for column in zip(*rows, strict=False):
        if len(set(column)) > 1:
            break
        count += 1
    return count
