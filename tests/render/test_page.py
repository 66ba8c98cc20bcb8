from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from radixviz.render.intro import IntroPrompt, intro_page, shared_length
from radixviz.render.layout import find_engine
from radixviz.render.page import player_page
from radixviz.timeline import NodeMark, TokenSpan
from tests.render.small_timeline import frame, node, sequence, timeline

FIRST = frame(stage=4)
NOW = frame(
    (node(1, None, "abc", lock_ref=1),),
    {1: NodeMark("new", "A1")},
    index=1,
    stage=4,
    stage_frame=2,
    phase="extend",
    sequences=(sequence("abc", [TokenSpan("computed", 3)], node_id=1),),
)


class Tags(HTMLParser):
    """Notes every tag with its attributes, and whether all are closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.found.append((tag, dict(attrs)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_root_says_where_we_are() -> None:
    """Stage, phase, frame within the stage and number of frames are on the root element."""
    tags = Tags(player_page(timeline(FIRST, NOW), NOW, "zh", "dark", find_engine()))
    assert tags.open == []
    assert tags.found[0] == (
        "div",
        {
            "class": "rv-player ",
            "data-testid": "player",
            "lang": "zh-Hans",
            "data-theme": "dark",
            "data-stage": "4",
            "data-phase": "extend",
            "data-frame": "2",
            "data-frames": "2",
        },
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_without_graphviz_the_tree_is_text_with_a_note(lang: str) -> None:
    """The page stays whole."""
    html = player_page(timeline(FIRST, NOW), NOW, lang, "light", None)
    assert Tags(html).open == []
    assert "data-no-graphviz" in html
    assert "A1 (3)" in html


def test_notices_are_said_beside_the_sentence() -> None:
    """They are text, whatever is in them."""
    html = player_page(timeline(FIRST, NOW), NOW, "en", "light", find_engine(), ("no stage <b>",))
    assert '<p class="rv-notice" role="status">no stage &lt;b&gt;</p>' in html


def test_no_user_text_runs() -> None:
    """Markup in tokens and names is text everywhere on the page."""
    text = '<img src=x onerror="alert(1)">'
    bad = frame(
        (node(1, None, text),),
        {1: NodeMark("new", '"><script>', "<b>")},
        sequences=(sequence(text, [TokenSpan("computed", len(text))], name='"><script>', node_id=1),),
        pages=40,
    )
    html = player_page(timeline(bad, pages=40), bad, "en", "light", find_engine())
    tags = Tags(html)
    assert tags.open == []
    assert {"script", "img"}.isdisjoint(tag for tag, _ in tags.found)
    assert not [name for _, attributes in tags.found for name in attributes if name.startswith("on")]


def test_the_introduction_underlines_what_all_share() -> None:
    """Three prompts, of which the first two tokens are the same."""
    prompts = [
        IntroPrompt("A", (b"You", b" are", b" x")),
        IntroPrompt("B", (b"You", b" are", b" y", b"\n")),
        IntroPrompt("C", (b"You", b" are")),
    ]
    html = intro_page(prompts, "Three?", "Why <this>", (), "en", "light")
    assert re.findall(r'data-token="(\d)" data-kind="(\w+)"', html) == [
        *[("0", "shared"), ("1", "shared"), ("2", "own")],
        *[("0", "shared"), ("1", "shared"), ("2", "own"), ("3", "own")],
        *[("0", "shared"), ("1", "shared")],
    ]
    assert 'data-stage="0"' in html
    assert "Why &lt;this&gt;" in html


def test_nothing_is_shared_by_none() -> None:
    """Different first tokens, and no prompt at all."""
    assert shared_length([(b"a", b"b"), (b"c", b"b")]) == 0
    assert shared_length([]) == 0
