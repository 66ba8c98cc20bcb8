from __future__ import annotations

import re

import pytest

from radixviz.events import PagesFreed
from radixviz.render.page_map import page_grid, page_panel, pool_bar, pool_size
from radixviz.timeline import NodeMark, TokenSpan
from tests.render.small_timeline import frame, node, sequence, timeline

RUNNING = sequence("abx", [TokenSpan("reused", 2), TokenSpan("generated", 1)], node_id=1, tail=(5,))
NODES = (node(1, None, "a", lock_ref=1), node(2, 1, "b", slot=2), node(3, 1, "cd", slot=3))
MARKS = {1: NodeMark("hit", "SYS"), 2: NodeMark("new", "A1"), 3: NodeMark("cached")}
FREED = (PagesFreed("A1", (6, 3), "evicted"),)
NOW = frame(NODES, MARKS, sequences=(RUNNING,), events=FREED, pages=8)


def test_each_page_tells_its_state_its_look_and_its_holder() -> None:
    """A page that came back and was given away again is not just freed."""
    found = re.findall(
        r'data-page="(\d+)" data-state="(\w+)" data-shade="(\w+)" data-holder="([^"]*)"', page_grid(NOW, "en")
    )
    assert found == [
        ("1", "locked", "hit", "SYS"),
        ("2", "cached", "new", "A1"),
        ("3", "cached", "cached", "3"),
        ("4", "cached", "cached", "3"),
        ("5", "running", "running", "A1"),
        ("6", "free", "just_freed", ""),
        ("7", "free", "free", ""),
        ("8", "free", "free", ""),
    ]


def test_the_bar_adds_up_to_the_pool() -> None:
    """In use is what is locked or running."""
    found = re.findall(r'data-pool="(\w+)" data-count="(\d+)"', pool_bar(NOW, "en"))
    assert found == [("in_use", "2"), ("cached", "3"), ("just_freed", "1"), ("free", "2")]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_size_is_that_of_the_real_tensors(lang: str) -> None:
    """Pages, bytes of a page, all together and the device."""
    assert pool_size(timeline(NOW, pages=300), lang) == "300 × 3,072 B = 0.88 MiB · cpu"


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", ["KV page pool", "1 page = 1 token here"]), ("zh", ["KV 页池", "这里 1 页 = 1 个 token"])],
)
def test_the_panel_is_in_the_readers_language(lang: str, words: list[str]) -> None:
    """Title and note."""
    html = page_panel(timeline(NOW), NOW, lang)
    assert [word for word in words if word in html] == words
