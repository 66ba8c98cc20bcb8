from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from radixviz.render.edge_text import MOST_COLUMNS, MOST_LINES, edge_lines, wrap
from radixviz.render.visible import columns
from tests.render.small_timeline import BYTES, ids


def marker(count: int) -> str:
    """Return the sign for tokens left out."""
    return f"⋯ +{count} tokens"


def words(text: str) -> tuple[tuple[int, ...], dict[int, bytes]]:
    """Return one token for each word of `text`, each with the space before it."""
    pieces = [piece.encode() for piece in re.findall(r"\s?\S+", text)]
    return tuple(range(len(pieces))), dict(enumerate(pieces))


def test_lines_break_at_spaces() -> None:
    """A line ends at a space, which is dropped; a word longer than a line is cut."""
    assert wrap("You are a helpful assistant.⏎User:", 28) == ["You are a helpful", "assistant.⏎User:"]
    assert wrap("abcdefgh", 3) == ["abc", "def", "gh"]
    assert wrap("ab cd", 2) == ["ab", "cd"]


def test_wide_characters_break_by_columns() -> None:
    """Fourteen Chinese characters fill a line of 28 columns."""
    assert wrap("一二三四五六七八九十一二三四五六", 28) == ["一二三四五六七八九十一二三四", "五六"]


def test_the_middle_of_a_long_edge_is_folded_between_words() -> None:
    """The first and the last words stay, and the line between them says how many tokens are left out."""
    token_ids, token_bytes = words(
        "Solve this problem: A library has 4 shelves with 20 books each. How many books are in the library now?"
    )
    assert edge_lines(token_ids, token_bytes, marker) == [
        "Solve this problem: A",
        "⋯ +11 tokens",
        "are in the library now?",
    ]


def test_a_fold_does_not_cut_a_character_that_its_tokens_keep_whole() -> None:
    """With one token for each Chinese character, every line is text."""
    token_ids = tuple(range(60))
    lines = edge_lines(token_ids, dict.fromkeys(token_ids, "树".encode()), marker)
    assert lines == ["树" * 14, "⋯ +32 tokens", "树" * 14]


def test_one_token_longer_than_three_lines_is_cut() -> None:
    """What cannot be folded ends with an ellipsis."""
    assert edge_lines((0,), {0: b"x" * 100}, marker) == ["x" * 28, "x" * 28, "…"]


def test_an_edge_of_spaces_is_visible() -> None:
    """Spaces alone are shown as signs."""
    assert edge_lines(ids("   "), BYTES, marker) == ["␣␣␣"]


@given(st.binary(max_size=200), st.integers(8, MOST_COLUMNS))
def test_no_edge_needs_more_than_three_lines(data: bytes, width: int) -> None:
    """Any bytes fit three lines of the width asked for, but for the sign and one visible character."""
    lines = edge_lines(ids(data), BYTES, lambda count: f"+{count}", width)
    assert 1 <= len(lines) <= MOST_LINES
    assert all(columns(line) <= width for line in lines)
