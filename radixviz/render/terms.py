"""Terms: the words of a sentence that the glossary explains, found by the patterns of the word lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from radixviz.render.spans import Span
from radixviz.render.words import words

Piece = list[str | None]
"""[text, role or null, name of a term or null]"""
_ROLES: Mapping[str, str] = {"hit": "hit", "computed": "new", "evict": "evicted"}
"""Terms that have a colour of the figure."""


def pieces(spans: Iterable[Span], lang: str, taken: set[str]) -> list[Piece]:
    """Return the spans with the terms in their plain text set apart, each term once; `taken` holds those before.

    A piece of a term is [text, role or null, term], and any other [text, role or null, null].
    """
    found: list[Piece] = []
    for span in spans:
        parts = [[span.text, span.role, None]] if span.role else _split(span.text, lang, taken)
        for part in parts:
            if found and part[1:] == [None, None] == found[-1][1:]:
                found[-1][0] = f"{found[-1][0]}{part[0]}"
            else:
                found.append(list(part))
    return found


def _split(text: str, lang: str, taken: set[str]) -> Iterator[Piece]:
    end = 0
    for found in _pattern(lang).finditer(text):
        term = str(found.lastgroup)
        if term in taken:
            continue
        taken.add(term)
        if found.start() > end:
            yield [text[end : found.start()], None, None]
        yield [found[0], _ROLES.get(term), term]
        end = found.end()
    if end < len(text):
        yield [text[end:], None, None]


@cache
def _pattern(lang: str) -> re.Pattern[str]:
    """Return one pattern with a named group for each term; in English it matches whole words."""
    listed = words(lang)
    edge = r"\b" if lang == "en" else ""
    found = (re.fullmatch(r"glossary\.(\w+)\.match", key) for key in listed)
    names = [match[1] for match in found if match]
    return re.compile("|".join(f"(?P<{name}>{edge}(?:{listed[f'glossary.{name}.match']}){edge})" for name in names))
