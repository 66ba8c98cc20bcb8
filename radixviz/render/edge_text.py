"""The text of an edge as lines that fit a box, with the middle left out when there is too much of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from radixviz.render.visible import columns, visible_bytes

MOST_COLUMNS = 28
MOST_LINES = 3
_BREAK_AFTER = frozenset(" ⏎")


def wrap(text: str, width: int) -> list[str]:
    """Break `text` into lines of at most `width` columns, after a space or a newline sign where there is one.

    Spaces at a break are dropped, as a reader expects; any other character is in exactly one line.
    """
    lines: list[str] = []
    rest = text
    while rest:
        cut = _cut(rest, width)
        lines.append(rest[:cut].rstrip(" ") or rest[:cut])
        rest = rest[cut:]
    return lines or [""]


def edge_lines(
    token_ids: Sequence[int],
    token_bytes: Mapping[int, bytes],
    marker: Callable[[int], str],
    width: int = MOST_COLUMNS,
) -> list[str]:
    """Return the text of `token_ids` in at most three lines of `width` columns.

    When it is longer, the first line is its beginning, the last its end, and the middle one is `marker(n)` for the n
    tokens left out; the cuts fall between tokens, and never inside a character unless a token does.
    """
    first, folded, last = _shown(tuple(token_bytes[token] for token in token_ids), width)
    return [*first, *([marker(folded)] if folded else []), *last]


@lru_cache(maxsize=1024)
def _shown(tokens: tuple[bytes, ...], width: int) -> tuple[tuple[str, ...], int, tuple[str, ...]]:
    """Return the lines before the tokens left out, how many these are, and the line after them.

    The same edge stands in many frames, in both languages: its lines are found once.
    """
    text = _text(tokens)
    whole = wrap(text.strip(" ") or "␣" * len(text), width)
    if len(whole) <= MOST_LINES:
        return tuple(whole), 0, ()
    head = _head(tokens, width)
    tail = _tail(tokens[head:], width)
    folded = len(tokens) - head - tail
    if not folded:
        return (*whole[: MOST_LINES - 1], "…"), 0, ()
    first = _clip(_text(tokens[:head]), width)
    last = _clip(_text(tokens[len(tokens) - tail :]), width) if tail else ""
    return tuple(filter(None, (first,))), folded, tuple(filter(None, (last,)))


def _cut(text: str, width: int) -> int:
    used = 0
    at_break = 0
    for index, character in enumerate(text):
        used += columns(character)
        if used > width:
            if character == " ":
                return index + 1
            return at_break or max(index, 1)
        if character in _BREAK_AFTER:
            at_break = index + 1
    return len(text)


def _head(tokens: Sequence[bytes], width: int) -> int:
    """Return how many tokens of the beginning fit one line; at least one, preferably up to the end of a word."""
    fits = _longest(len(tokens), lambda count: _text(tokens[:count]), width)
    for count in range(fits, max(fits - 8, 0), -1):
        if count < len(tokens) and _starts_word(tokens[count]):
            return count
    return max(fits, 1)


def _tail(tokens: Sequence[bytes], width: int) -> int:
    """Return how many tokens of the end fit one line, preferably from the beginning of a word."""
    size = len(tokens)
    fits = _longest(size, lambda count: _text(tokens[size - count :]), width)
    for count in range(fits, max(fits - 8, 0), -1):
        if _starts_word(tokens[size - count]):
            return count
    return fits


def _longest(limit: int, text: Callable[[int], str], width: int) -> int:
    count = 0
    while count < limit and columns(text(count + 1).strip(" ")) <= width:
        count += 1
    return count


def _clip(text: str, width: int) -> str:
    return wrap(text.strip(" "), width)[0]


def _text(tokens: Sequence[bytes]) -> str:
    return visible_bytes(b"".join(tokens))


def _starts_word(data: bytes) -> bool:
    return data[:1] in {b" ", b"\n"}
