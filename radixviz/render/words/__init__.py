"""Everything a user reads, in English and in Chinese: one flat list of texts for each language.

A text may hold {n}, filled with a value, and {n:page|pages}, filled with the word for one or for any other number;
Chinese needs no plural. Texts under "say." and "why." are sentences about a frame, which `radixviz.render.narrate`
fills. A key that ends in ".help" explains what the key before that ending names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from radixviz.errors import UnknownLanguage
from radixviz.render.words import en, zh
from radixviz.timeline import MARKUP

_LISTS: Mapping[str, Mapping[str, str]] = {"en": en.WORDS, "zh": zh.WORDS}
LANGUAGES = tuple(_LISTS)
BOTH = "both"
"""Stands for all languages at once, on pages."""


def words(language: str) -> Mapping[str, str]:
    """Return all texts of a language by key.

    Raises UnknownLanguage.

    >>> words("zh")["look.hit"]
    '命中'
    """
    if language not in _LISTS:
        raise UnknownLanguage(language, LANGUAGES)
    return _LISTS[language]


def say(language: str, key: str, **values: object) -> str:
    """Return one text with its values filled in. A value that the text does not ask for is left aside.

    Raises UnknownLanguage, and KeyError for a key or a value that is missing: a bug of ours.

    >>> say("en", "evict.badge", short=1, freed=150)
    'evict: 1 page short, 150 freed'
    """
    return fill(words(language)[key], values)


def fill(text: str, values: Mapping[str, object]) -> str:
    """Return `text` with its {values} filled in and its plurals chosen; [marks] are left as they are."""

    def filled(found: re.Match[str]) -> str:
        if found["value"] is None:
            return found[0]
        value = values[found["value"]]
        if found["one"] is None:
            return str(value)
        return found["one"] if value == 1 else found["many"]

    return MARKUP.sub(filled, text)
