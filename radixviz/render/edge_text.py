"""The text of an edge as lines that fit a box, with the middle left out when there is too much of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from radixviz.render.visible import columns, token_text

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
    text = token_text(token_bytes, token_ids)
    whole = wrap(text.strip(" ") or "␣" * len(text), width)
    if len(whole) <= MOST_LINES:
        return whole
    head = _head(token_ids, token_bytes, width)
    tail = _tail(token_ids[head:], token_bytes, width)
    folded = len(token_ids) - head - tail
    if not folded:
        return [*whole[: MOST_LINES - 1], "…"]
    first = _clip(token_text(token_bytes, token_ids[:head]), width)
    last = _clip(token_text(token_bytes, token_ids[len(token_ids) - tail :]), width) if tail else ""
    return [line for line in (first, marker(folded), last) if line]


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


def _head(token_ids: Sequence[int], token_bytes: Mapping[int, bytes], width: int) -> int:
    """Return how many tokens of the beginning fit one line; at least one, preferably up to the end of a word."""
    fits = _longest(len(token_ids), lambda count: token_text(token_bytes, token_ids[:count]), width)
    for count in range(fits, max(fits - 8, 0), -1):
        if count < len(token_ids) and _starts_word(token_bytes[token_ids[count]]):
            return count
    return max(fits, 1)


def _tail(token_ids: Sequence[int], token_bytes: Mapping[int, bytes], width: int) -> int:
    """Return how many tokens of the end fit one line, preferably from the beginning of a word."""
    size = len(token_ids)
    fits = _longest(size, lambda count: token_text(token_bytes, token_ids[size - count :]), width)
    for count in range(fits, max(fits - 8, 0), -1):
        if _starts_word(token_bytes[token_ids[size - count]]):
            return count
    return fits


def _longest(limit: int, text: Callable[[int], str], width: int) -> int:
    count = 0
    while count < limit and columns(text(count + 1).strip(" ")) <= width:
        count += 1
    return count


def _clip(text: str, width: int) -> str:
    return wrap(text.strip(" "), width)[0]


def _starts_word(data: bytes) -> bool:
    return data[:1] in {b" ", b"\n"}
