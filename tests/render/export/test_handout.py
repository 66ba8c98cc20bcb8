from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from radixviz.engine.metrics import Metrics
from radixviz.render.export.handout import Handout, HandoutKind, handout_html
from radixviz.render.layout import find_engine
from radixviz.render.words import say
from radixviz.timeline import Ghost, NodeMark, Timeline, TokenSpan
from tests.render.small_timeline import frame, node, sequence, timeline

VOID = {"meta", "rect", "circle", "path", "br"}


class Reader(HTMLParser):
    """The texts of a page, a line for each element; an element that is not closed is an error."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in {"style", "title"} and data.strip():
            self.lines.append(data.strip())


def told() -> Timeline:
    """Two stages: a first request, and a second that hits its node and has another one evicted."""
    first, old = node(1, None, "Hi <b>"), node(2, None, "old", slot=9)
    asked = sequence("Hi <b>", [TokenSpan("computed", 5), TokenSpan("generated", 1)], state="finished")
    again = sequence("Hi <b> & more", [TokenSpan("reused", 6), TokenSpan("computed", 7)], name="A2", state="finished")
    frames = (
        frame(pages=20),
        frame([first, old], {1: NodeMark("new", "A1", "a"), 2: NodeMark("new")}, index=1, stage=2, sequences=[asked]),
        frame(
            [node(1, None, "Hi <b>"), node(3, 1, " & more", slot=12)],
            {1: NodeMark("hit", "A1", "a"), 2: NodeMark("evicted", "Old", "c"), 3: NodeMark("new", "A2")},
            index=2,
            stage=3,
            sequences=[again],
            ghosts=[Ghost(old, 2)],
            events=[],
        ),
    )
    return timeline(*frames)


def made(kind: HandoutKind, *langs: str, engine: Path | None = None) -> str:
    """Return a page of the small run."""
    return handout_html(told(), Handout(kind, langs, engine))


def sections(html: str) -> list[str]:
    """Return the texts of each stage."""
    return ["\n".join(Reader(part).lines) for part in re.findall(r"<section>.*?</section>", html, flags=re.DOTALL)]


def test_the_handout_has_every_numbered_stage_with_its_sentence_and_its_tree() -> None:
    """The heading, what is said and the tree as text, in the order of the stages; nothing of it is markup."""
    first, second, third = sections(made("handout", "en"))
    assert first == "1\nStage\nThe tree is empty: only a root,\n20\nof\n20\npages free.\nroot"
    assert second.startswith("2\nStage\nNothing runs") or second.startswith("2\nStage\nSession A, turn 1")
    assert "├─ A1 a (6) [NEW] Hi <b>" in second
    assert "[HIT] Hi <b>" in third
    assert "c (3) [EVICTED] old" in third


def test_the_worksheet_asks_and_the_key_answers() -> None:
    """The worksheet has the tree before, without looks, prompts and blanks; the key has the numbers and the tree."""
    blank, asked = sections(made("worksheet", "en"))
    assert blank.startswith(
        "2\nStage\nrequest\nprompt L\nhit L_hit\ncomputed\nanswer\nsession A, turn 1\nHi <b\n5\n1\n"
    )
    assert blank.endswith("The tree before\nroot\nThe tree afterwards")
    assert "A2\nHi <b> & more\n13\n0\nfree pages before:" in asked
    assert "├─ A1 a (6) Hi <b>" in asked
    assert not re.search(r"\[(?:NEW|HIT|EVICTED)\]", asked)
    html = made("worksheet", "en")
    assert (html.count('class="draw"'), made("key", "en").count('class="draw"')) == (2, 0)
    _, answered = sections(made("key", "en"))
    assert "A2\nHi <b> & more\n13\n6\n7\n0\nfree pages before:\n11\nafterwards:\n7\nevicted, in order:" in answered
    assert "[EVICTED]" in answered


@pytest.mark.parametrize("kind", ["handout", "worksheet", "key"])
def test_both_languages_stand_on_one_page(kind: HandoutKind) -> None:
    """Titles, headings and sentences come in both; one language alone has nothing of the other."""
    both, english = made(kind, "en", "zh"), made(kind, "en")
    for lang in ("en", "zh"):
        assert say(lang, f"handout.{kind}") in both
    assert "Stage / 阶段" in both
    assert re.findall("[\u4e00-\u9fff]", "".join(Reader(english).lines)) == []


def test_a_drawn_tree_is_legible_without_colour() -> None:
    """A look is told by its badge, its line and its style; nothing is asked for and no script is there."""
    html = made("handout", "en", engine=find_engine())
    drawn = re.findall(r'<g class="rv-box rv-(\w+)".*?</g>(?=<g class="rv-box|</svg>)', html, flags=re.DOTALL)
    assert sorted(drawn) == ["evicted", "hit", "new", "new", "new"]
    assert re.findall(r'class="rv-badge">.*?>(\w+)</text>', html) == ["NEW", "NEW", "HIT", "EVICTED", "NEW"]
    assert html.count('class="rv-inner"') == 2  # the hit node, and its sign in the legend
    assert re.search(r"\.rv-evicted>\.rv-frame\{[^}]*stroke-dasharray", html)
    assert re.findall(r"<script|src=|href=|url\(|@import|min-width:\d+px", html) == []


def test_a_run_without_numbered_stages_is_printed_whole() -> None:
    """An encore alone is printed, under its sign."""
    encore = timeline(replace(frame([node(1, None, "x")], stage="encore"), metrics=Metrics()))
    (only,) = sections(handout_html(encore, Handout("handout", ("en",), None)))
    assert only.startswith("+\nStage\n")


def test_a_font_of_the_reader_comes_with_the_page(tmp_path: Path) -> None:
    """For a machine that has none with Chinese: the file stands within the page, which asks for nothing."""
    font = tmp_path / "a.otf"
    font.write_bytes(b"abc")
    html = handout_html(told(), Handout("handout", ("zh",), None, font))
    assert re.findall(r"url\(([^)]*)\)", html) == ["data:font/sfnt;base64,YWJj"]
