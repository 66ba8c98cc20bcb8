from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from radixviz.render.layout import find_engine
from radixviz.render.tree_svg import tree_svg
from radixviz.render.tree_text import tree_text
from radixviz.timeline import Frame, Ghost, Missing, NodeMark, TokenSpan
from tests.render.small_timeline import frame, node, sequence, timeline

HOSTILE = {
    "\\": "\\",
    "C:\\new\\t": "C:\\new\\t",
    'say "hi"': 'say "hi"',
    "a\\Nb": "a\\Nb",
    "one\ntwo": "one⏎two",
    "&amp;": "&amp;",
    '{"a": 1} | <b>': '{"a": 1} | <b>',
    "\x00": "␀",
    "\x1b[31m": "␛[31m",
    "tenant:a": "tenant:a",
    "<|im_end|>": "<|im_end|>",
    "⏎&<": "⏎&<",
    "]]>--><!--": "]]>--><!--",
    "<script>alert(1)</script>": "<script>alert(1)</script>",
    "日本語": "日本語",
    "😀": "😀",
    "a\u202eb": "a\\u202eb",
}


@pytest.fixture(scope="module")
def engine() -> Path:
    """Return the Graphviz that is there."""
    found = find_engine()
    assert found is not None
    return found


def drawn(now: Frame, engine: Path, lang: str = "en") -> ElementTree.Element:
    """Return the SVG of a frame as XML: that it can be read is a part of every test."""
    svg = tree_svg(timeline(now), now, lang, engine)
    assert svg is not None
    return ElementTree.fromstring(svg)


def texts(group: ElementTree.Element, css: str) -> list[str]:
    """Return the texts of a class below an element."""
    return ["".join(text.itertext()) for text in group.iter("text") if css in text.get("class", "").split()]


def test_hostile_texts_are_shown_exactly_one_box_each(engine: Path) -> None:
    """Whatever the text, there is one box for it, and the box shows it."""
    nodes = [node(n, None, text, slot=20 * n + 1) for n, text in enumerate(HOSTILE)]
    svg = drawn(frame(nodes), engine)
    boxes = [group for group in svg.iter("g") if "data-node" in group.attrib]
    assert ["".join(texts(box, "rv-text")) for box in boxes] == [seen.replace(" | ", " |") for seen in HOSTILE.values()]
    assert [box.get("data-node") for box in boxes] == [str(n) for n in range(len(HOSTILE))]
    assert {element.tag for element in svg.iter()} == {"svg", "g", "path", "circle", "rect", "text", "tspan", "title"}


@pytest.mark.parametrize(("lang", "badges"), [("en", ["HIT", "NEW", "EVICTED"]), ("zh", ["命中", "新增", "淘汰"])])
def test_each_look_has_its_class_and_its_badge(engine: Path, lang: str, badges: list[str]) -> None:
    """HIT, NEW and EVICTED are told by badge, class and data; a cached node has none of them."""
    nodes = (node(1, None, "a", lock_ref=2), node(2, 1, "b", slot=2), node(3, 1, "c", slot=3))
    marks = {
        1: NodeMark("hit", "SYS", "b"),
        2: NodeMark("cached", "A1"),
        3: NodeMark("new"),
        4: NodeMark("evicted", "A2", "c"),
    }
    svg = drawn(frame(nodes, marks, ghosts=(Ghost(node(4, 2, "d", slot=4), 0),)), engine, lang)
    boxes = {group.get("data-node"): group for group in svg.iter("g") if "data-node" in group.attrib}
    assert {key: box.get("class") for key, box in boxes.items()} == {
        "1": "rv-box rv-hit",
        "2": "rv-box rv-cached",
        "3": "rv-box rv-new",
        "4": "rv-box rv-evicted",
    }
    assert [badge for box in ("1", "3", "4") for badge in _badges(boxes[box])] == badges
    assert _badges(boxes["2"]) == []
    assert boxes["4"].attrib == {
        "class": "rv-box rv-evicted",
        "data-node": "4",
        "data-look": "evicted",
        "data-letter": "c",
        "data-name": "A2",
        "data-tokens": "1",
        "data-lock": "0",
        "transform": boxes["4"].get("transform", ""),
    }
    locks = [group for group in boxes["1"].iter("g") if group.get("class") == "rv-lock"]
    assert ["".join(lock.find("text").itertext()) for lock in locks] == ["2"]  # type: ignore[union-attr]


def test_counts_tell_stored_and_running_apart(engine: Path) -> None:
    """A growing leaf shows both numbers."""
    running = sequence("abcxy", [TokenSpan("computed", 3), TokenSpan("generated", 2)], node_id=1, tail=(10,))
    svg = drawn(frame((node(1, None, "abc"),), {1: NodeMark("new", "A1")}, sequences=(running,)), engine)
    assert texts(svg, "rv-count") == ["3 + 1"]
    assert texts(svg, "rv-text") == ["abcxy"]


@pytest.mark.parametrize(("lang", "badge"), [("en", "= sample 2"), ("zh", "= 样本 2")])
def test_a_repeated_answer_says_which_sample_it_is(engine: Path, lang: str, badge: str) -> None:
    """A node that a sample only repeats is neither NEW nor HIT."""
    svg = drawn(frame((node(1, None, "a"),), {1: NodeMark("cached", repeats=2)}), engine, lang)
    assert [name for box in svg.iter("g") if "data-node" in box.attrib for name in _badges(box)] == [badge]


def test_a_missing_piece_is_no_node(engine: Path) -> None:
    """It says what was there and until when, and no test takes it for a node of the tree."""
    now = frame((node(1, None, "a"),), missing=(Missing("A3", 1, 5, 150, "A2", "c", 5),))
    svg = drawn(now, engine)
    (missing,) = [group for group in svg.iter("g") if "data-missing" in group.attrib]
    assert " ".join(texts(missing, "rv-text")) == "c was here until stage 5"
    assert len([group for group in svg.iter("g") if "data-node" in group.attrib]) == 1


def test_an_empty_tree_is_a_root(engine: Path) -> None:
    """Nothing but the dot and its word."""
    svg = drawn(frame(), engine, "zh")
    assert ["".join(text.itertext()) for text in svg.iter("text")] == ["根"]


def test_boxes_keep_their_place_while_an_answer_grows(engine: Path) -> None:
    """Places follow from the tree's shape, not from its texts."""
    short = frame((node(1, None, "a"), node(2, 1, "b", slot=2)))
    long = frame((node(1, None, "a" * 40), node(2, 1, "b" * 90, slot=50)))
    places = [[group.get("transform") for group in drawn(now, engine).iter("g")] for now in (short, long)]
    assert places[0] == places[1]


def test_a_tree_too_large_for_its_place_scrolls(engine: Path) -> None:
    """It is shrunk by a twelfth at most; a tree that fits has no size of its own."""
    wide = drawn(frame([node(n, None, "a", slot=n + 1) for n in range(20)], pages=30), engine)
    assert "style" not in drawn(frame((node(1, None, "a"),)), engine).attrib
    width = float(wide.get("viewBox", "").split()[2])
    assert width > 2000
    assert wide.get("style", "").startswith(f"min-width:{width * 0.92:.0f}px")


def test_the_tree_as_text() -> None:
    """One line for each box, indented by depth, with what the picture tells."""
    nodes = (
        node(1, None, "ab", lock_ref=1),
        node(2, 1, "c", slot=3),
        node(3, 1, "d", slot=4),
        node(4, None, "e", slot=5),
    )
    now = frame(nodes, {1: NodeMark("hit", "SYS", "a"), 2: NodeMark("cached", "A1"), 3: NodeMark("new", "B1")})
    assert tree_text(timeline(now), now, "en").splitlines() == [
        "root",
        "├─ SYS a (2) [HIT] lock_ref 1 ab",
        "│  ├─ A1 (1) c",
        "│  └─ B1 (1) [NEW] d",
        "└─ (1) e",
    ]


def _badges(box: ElementTree.Element) -> list[str]:
    groups = [group for group in box.iter("g") if group.get("class") == "rv-badge"]
    return ["".join(text.itertext()) for group in groups for text in group.iter("text")]
