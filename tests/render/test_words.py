from __future__ import annotations

import doctest
import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest

import radixviz.render.words
from radixviz.errors import UnknownLanguage
from radixviz.render.words import LANGUAGES, fill, say, words
from radixviz.timeline import MARKUP, PLACEHOLDERS, Look

ROOT = Path(__file__).resolve().parents[2]
SOURCES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in [ROOT / "app.py", *sorted((ROOT / "radixviz").rglob("*.*"))]
    if path.suffix in {".py", ".js", ".html"} and "words" not in path.parts
}
BUILT: Mapping[str, tuple[str, ...]] = {
    "attention.legend.": ("render/attention_svg",),
    "ask.how.": ("timeline",),
    "cli.": (
        "__main__",
        "command_line",
        "export_command",
        "fetch_command",
        "play_command",
        "prove_command",
        "model/fetch",
        "ui/offered_models",
    ),
    "detail.": ("render/explain",),
    "error.": ("errors",),
    "far.": ("render/player/class/bars",),
    "fetch.": ("model/fetch",),
    "handout.": ("render/export/handout",),
    "handout.look.": ("timeline",),
    "inspect.": ("render/player/inspector",),
    "inspect.order.": ("render/player_boxes", "render/eviction_order", "render/tree_boxes"),
    "isolation.adapter.": ("ui/pages/sharing",),
    "isolation.say.": ("ui/pages/sharing",),
    "lang.": ("render/player/class/projector",),
    "lesson.page.": ("scenario/lesson",),
    "load.": ("model/loader", "__main__", "ui/timeline_job"),
    "look.": ("timeline",),
    "page.": ("cache/snapshot",),
    "player.": ("render/player/class/classroom",),
    "pool.": ("render/player/pages",),
    "problem.": ("scenario/",),
    "proof.": ("render/proof_text",),
    "prove.": ("model/prove",),
    "reason.": ("model/",),
    "say.": ("render/moment",),
    "state.": ("timeline", "engine/request"),
    "tokens.": ("timeline", "render/player/class/bars"),
    "unmet.": ("timeline",),
    "unmet.look.": ("timeline", "render/explain"),
    "where.": ("scenario/",),
    "why.": ("render/moment",),
}
"""Keys that are put together of this beginning and an ending, and the sources in which the ending stands."""


def placeholders(text: str) -> Counter[tuple[str, str]]:
    """Return each placeholder of a text with its role; plurals are the business of one language."""
    marks = [found for found in MARKUP.finditer(text) if found["one"] is None]
    return Counter((found["value"], found["role"] or "") for found in marks)


def is_used(key: str) -> bool:
    """Tell whether a source has the key as it is, has the word that its help is about, or puts it together."""
    if any(re.search(rf"[\"']{re.escape(key)}[\"']", text) for text in SOURCES.values()):
        return True
    if (
        key.endswith(".help")
        and f'data-term="{key.removesuffix(".help")}"' in SOURCES["radixviz/render/player/player.html"]
    ):
        return True
    if re.fullmatch(r"glossary\.\w+\.(match|help)", key):  # each term has a pattern, by which it is found
        return True
    return any(is_built(key, beginning, names) for beginning, names in BUILT.items() if key.startswith(beginning))


def is_built(key: str, beginning: str, names: tuple[str, ...]) -> bool:
    """Tell whether the ending of a key stands in the sources that put it together: as a text, an option or a class."""
    ending = re.escape(key.removeprefix(beginning).removesuffix(".help" if beginning == "cli." else ""))
    dashed = ending.replace("_", "-")
    found = re.compile(rf"[\"'](?:--{dashed}|{ending})[\"']|class {ending}\(|\b{ending}=")
    texts = (text for path, text in SOURCES.items() if path.removeprefix("radixviz/").startswith(names))
    return any(found.search(text) for text in texts)


def test_both_languages_have_the_same_keys() -> None:
    """What can be said in one language can be said in the other, in the same order of the list."""
    assert LANGUAGES == ("en", "zh")
    assert list(words("zh")) == list(words("en"))


def test_both_languages_ask_for_the_same_values() -> None:
    """A text and its translation hold the same placeholders, as often and with the same roles."""
    english, chinese = words("en"), words("zh")

    assert [key for key in english if placeholders(english[key]) != placeholders(chinese[key])] == []


def test_every_text_is_used() -> None:
    """No key is left behind that nothing in the package says."""
    assert [key for key in words("en") if not is_used(key)] == []


def test_every_text_that_is_said_is_there() -> None:
    """A key that a source says as it is, or that a mark of the player's page names, is in the lists."""
    said = re.compile(r"""\bsay\((?:[\w.]+, )?["']([\w.]*\w)["'][,)]|data-(?:word|name)="([\w.]+)\"""")
    keys = {found[1] or found[2] for text in SOURCES.values() for found in said.finditer(text)}

    assert len(keys) > 100
    assert keys - set(words("en")) == set()


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
        "node.lettered",
        "error.detail",
        "where.top",
        "where.part",
        "reason.other",
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
