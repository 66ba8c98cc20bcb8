from __future__ import annotations

import doctest
from collections import Counter
from itertools import pairwise

import pytest

import radixviz.render.words
from radixviz.errors import UnknownLanguage
from radixviz.render.words import LANGUAGES, fill, say, words
from radixviz.timeline import MARKUP, PLACEHOLDERS, Look


def placeholders(text: str) -> Counter[tuple[str, str]]:
    """Return each placeholder of a text with its role; plurals are the business of one language."""
    marks = [found for found in MARKUP.finditer(text) if found["one"] is None]
    return Counter((found["value"], found["role"] or "") for found in marks)


def test_both_languages_have_the_same_keys() -> None:
    """What can be said in one language can be said in the other, in the same order of the list."""
    assert LANGUAGES == ("en", "zh")
    assert list(words("zh")) == list(words("en"))


def test_both_languages_ask_for_the_same_values() -> None:
    """A text and its translation hold the same placeholders, as often and with the same roles."""
    english, chinese = words("en"), words("zh")

    assert [key for key in english if placeholders(english[key]) != placeholders(chinese[key])] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_text_is_empty_or_malformed(lang: str) -> None:
    """Every text says something, and every brace belongs to a placeholder."""
    bad = {key for key, text in words(lang).items() if not text.strip() or set(MARKUP.sub("", text)) & set("{}[]")}

    assert bad == set()


def test_chinese_texts_are_chinese() -> None:
    """A text without a Chinese character is one that is the same in both languages, a name or a figure."""
    same = {key for key, text in words("zh").items() if not any("\u4e00" <= letter <= "\u9fff" for letter in text)}

    assert same == {
        "lang.en",
        "pool.bytes",
        "tokens.title",
        "colon",
        "comma",
        "error.detail",
        "where.top",
        "where.part",
        "reason.other",
        "cli.tokens",
    }


def test_chinese_uses_its_own_punctuation() -> None:
    """Between Chinese characters there is no ASCII comma, colon, semicolon, question or exclamation mark."""
    marks = set(",:;?!")
    texts = {key: MARKUP.sub("", text) for key, text in words("zh").items()}
    wrong = {
        key
        for key, text in texts.items()
        for before, mark in pairwise(text)
        if mark in marks and "\u4e00" <= before <= "\u9fff"
    }

    assert wrong == set()


def test_sentences_ask_only_for_what_a_frame_has() -> None:
    """A sentence about a frame is filled with its numbers, its requests and its evicted nodes."""
    sentences = [text for key, text in words("en").items() if key.startswith(("say.", "why."))]
    asked = {found["value"] for text in sentences for found in MARKUP.finditer(text)}

    assert asked - PLACEHOLDERS == {"request", "node"}


def test_every_sentence_has_its_reason() -> None:
    """To each "say." there is a "why.", unless another reason is chosen for it."""
    said = {key.removeprefix("say.") for key in words("en") if key.startswith("say.")}
    reasons = {key.removeprefix("why.") for key in words("en") if key.startswith("why.")}

    assert said - reasons == set()
    assert reasons - said == {"match.whole", "match.floored", "match.batch.split"}


@pytest.mark.parametrize(
    ("short", "expected"), [(1, "evict: 1 page short, 150 freed"), (2, "evict: 2 pages short, 150 freed")]
)
def test_english_has_plurals(short: int, expected: str) -> None:
    """One page, two pages."""
    assert say("en", "evict.badge", short=short, freed=150) == expected


def test_chinese_has_none() -> None:
    """The same text serves every number."""
    assert say("zh", "evict.badge", short=1, freed=150) == "淘汰：缺 1 页，释放 150 页"


def test_looks_have_the_badges_of_the_figure() -> None:
    """NEW, HIT and EVICTED, and their Chinese."""
    looks: tuple[Look, ...] = ("new", "hit", "evicted")

    assert [say("en", f"look.{look}") for look in looks] == ["NEW", "HIT", "EVICTED"]
    assert [say("zh", f"look.{look}") for look in looks] == ["新增", "命中", "淘汰"]


def test_marks_are_left_to_the_sentence() -> None:
    """Filling a text leaves [names] as they are and drops roles."""
    assert fill("[c]: {freed|evicted} {freed:page|pages}", {"freed": 3}) == "[c]: 3 pages"


def test_a_missing_value_is_not_hidden() -> None:
    """A text with a value that nobody gave is a bug, and says so."""
    with pytest.raises(KeyError, match="freed"):
        say("en", "evict.badge", short=1)


def test_an_unknown_language_is_refused() -> None:
    """The error names the language and those that there are."""
    with pytest.raises(UnknownLanguage) as caught:
        words("fr")
    assert (caught.value.name, caught.value.known) == ("fr", ("en", "zh"))


def test_the_examples_are_true() -> None:
    """What the docstrings show is what happens."""
    assert doctest.testmod(radixviz.render.words).failed == 0
