from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixviz.render.token_fold import Cell, cells, strip_room
from radixviz.timeline import TokenKind, TokenSpan
from tests.render.small_timeline import BYTES, ids

KINDS: tuple[TokenKind, ...] = ("reused", "pending", "computed", "again", "generated")


@pytest.mark.parametrize(("strips", "room"), [(1, 444.0), (2, 148.0), (3, 112.0), (4, 112.0)])
def test_strips_share_the_lines_of_the_foot(strips: int, room: float) -> None:
    """One has three lines, two have one each, and more have a shorter one, with the counts at its end."""
    assert strip_room(strips) == room


def test_the_middle_of_a_long_run_is_folded() -> None:
    """Short runs stay whole, the long one keeps its two ends and counts what is left out."""
    token_ids = ids("x" * 100 + "y" * 3)
    row = cells(token_ids, [TokenSpan("reused", 100), TokenSpan("generated", 3)], BYTES, 60)
    folded = [cell for cell in row if cell.folded]
    assert folded == [Cell(9, "reused", "", 82)]
    assert [cell.index for cell in row if not cell.folded] == [*range(9), *range(91, 103)]


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 80)), max_size=6), st.integers(30, 500))
def test_folding_loses_no_token(runs: list[tuple[TokenKind, int]], room: int) -> None:
    """What is shown and what is folded add up to each run, in order."""
    spans = [TokenSpan(kind, count) for kind, count in runs]
    total = sum(count for _, count in runs)
    row = cells(ids(b"a" * total), spans, BYTES, room)
    position = 0
    for cell in row:
        assert cell.index == position
        position += cell.folded or 1
    assert position == total
