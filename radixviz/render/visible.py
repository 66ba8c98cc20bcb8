"""Text as it can be seen: control characters get pictures, bytes that are no character get their number."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

_PICTURES = {"\n": "⏎", "\t": "⇥", "\x7f": "␡"}
_JOINERS = frozenset("\u200d")
_WIDE_SIGNS = frozenset("⏎⇥⋯")


def visible(text: str) -> str:
    r"""Return `text` with every character that has no picture of its own replaced by one that has.

    A newline becomes ⏎, a tab ⇥, a control character its picture (␀, ␛), and characters that only steer the
    writing direction or are invisible their number (\u202e). Everything else stays exactly as it is.
    """
    return "".join(_visible(character) for character in text)


@lru_cache(maxsize=4096)
def visible_bytes(data: bytes) -> str:
    r"""Return the visible text of UTF-8 bytes; bytes that are a part of a character only come out as \xf0."""
    return visible(data.decode("utf-8", "backslashreplace"))


def token_text(token_bytes: Mapping[int, bytes], token_ids: Iterable[int]) -> str:
    """Return the visible text of these tokens, joined before decoding so that split characters come together."""
    return visible_bytes(b"".join(token_bytes[token] for token in token_ids))


def columns(text: str) -> int:
    """Return how many columns of a fixed-width font `text` needs: wide characters two, combining ones none."""
    return sum(_columns(character) for character in text)


@lru_cache(maxsize=4096)
def _visible(character: str) -> str:
    code = ord(character)
    if character in _PICTURES:
        return _PICTURES[character]
    if code < 0x20:
        return chr(0x2400 + code)
    if 0x80 <= code < 0xA0:
        return f"\\x{code:02x}"
    if character in _JOINERS or unicodedata.category(character) not in {"Cf", "Zl", "Zp", "Cs"}:
        return character
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


@lru_cache(maxsize=4096)
def _columns(character: str) -> int:
    if character in _WIDE_SIGNS or unicodedata.east_asian_width(character) in {"W", "F"}:
        return 2
    return 0 if character in _JOINERS or unicodedata.category(character) in {"Mn", "Me"} else 1
