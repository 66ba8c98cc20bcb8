from __future__ import annotations

import doctest
import re

import radixviz.render.runs
from radixviz.cache.snapshot import NodeView, TreeSnapshot
from radixviz.render.eviction_order import Turn, eviction_order
from radixviz.render.player_data import player_words
from radixviz.render.player_script import (
    CLASS_MODULES,
    MAIN,
    MODULES,
    class_styles,
    joined,
    plain_styles,
    player_markup,
    player_script,
    player_styles,
)
from radixviz.render.spans import Span
from radixviz.render.table import Table
from radixviz.render.terms import pieces
from radixviz.render.words import LANGUAGES


def node(node_id: int, parent_id: int | None, *, used: int, lock_ref: int = 0) -> NodeView:
    """Return a node of one token that was last used at this tick."""
    return NodeView(node_id, parent_id, (None,) * 4, (node_id,), (node_id,), lock_ref, 0, 0, used, 0)


def test_leaves_go_before_their_parents() -> None:
    """The leaf unused for longest goes first; a parent comes when it is a leaf, and then by its own last use."""
    tree = TreeSnapshot(1, (node(1, None, used=1), node(2, 1, used=9), node(3, 1, used=4), node(4, None, used=6)), 4, 0)
    assert eviction_order(tree) == {
        3: Turn(1, "oldest"),
        4: Turn(2, "oldest"),
        2: Turn(3, "oldest"),
        1: Turn(4, "children"),
    }


def test_what_is_held_stays() -> None:
    """A locked node has no place in the order, and neither has what lies above it."""
    tree = TreeSnapshot(
        1, (node(1, None, used=1, lock_ref=1), node(2, 1, used=2, lock_ref=1), node(3, 1, used=3)), 1, 2
    )
    assert eviction_order(tree) == {1: Turn(None, "locked"), 2: Turn(None, "locked"), 3: Turn(1, "oldest")}


def test_a_row_is_kept_once() -> None:
    """Equal rows have one place, whatever the order of their keys."""
    table = Table()
    assert [table.place({"a": 1, "b": 2}), table.place({"c": 3}), table.place({"b": 2, "a": 1})] == [0, 1, 0]
    assert table.rows == [{"a": 1, "b": 2}, {"c": 3}]


def test_each_term_is_set_apart_once() -> None:
    """Whole words only, the first time only, and what is no term stays together; numbers keep their role."""
    told = (Span("A leaf, "), Span("3", "number"), Span(" pages, a leaflet "), Span("and a page."))
    assert pieces(told, "en", set()) == [
        ["A ", None, None],
        ["leaf", None, "leaf"],
        [", ", None, None],
        ["3", "number", None],
        [" ", None, None],
        ["pages", None, "page"],
        [", a leaflet and a page.", None, None],
    ]


def test_a_term_may_have_a_colour_of_the_figure() -> None:
    """What is evicted is orange in the sentence too, in both languages."""
    assert pieces([Span("整片淘汰")], "zh", set()) == [["整片", None, None], ["淘汰", "evicted", "evict"]]


def test_the_examples_are_true() -> None:
    """What the docstrings show is what happens."""
    assert doctest.testmod(radixviz.render.runs).failed == 0


def test_the_component_is_small() -> None:
    """Script and style sheet of the player take no more than 60 kB, and what a class needs besides 40 kB."""
    assert len(joined(*MODULES, MAIN).encode()) + len(plain_styles().encode()) <= 60_000
    assert len(joined(*CLASS_MODULES).encode()) + len(class_styles().encode()) <= 40_000


def test_the_join_keeps_strings_and_drops_what_is_for_readers() -> None:
    """No comment, no import and one export are left; spaces within strings stay."""
    script = player_script()
    assert re.findall(r"^\s*(?://|import ).*", script, flags=re.MULTILINE) == []
    assert re.findall(r"\bexport \w+", script) == ["export default"]
    assert '" · "' in script
    assert "/*" not in player_styles()


def test_every_word_of_the_player_is_there() -> None:
    """Each key that the script or the markup names is a text of both languages."""
    asked = set(re.findall(r'data-(?:word|name|term)="([\w.]+)"', player_markup()))
    asked |= set(re.findall(r'\bsay\((?:lang|next\.lang|store\.state\.lang), ?"([\w.]+)"', player_script()))
    asked = {key for key in asked if not key.endswith(".")}  # the rest of those is made in the script
    assert len(asked) > 50
    for lang in LANGUAGES:
        assert asked - set(player_words()[lang]) - {"lock_ref"} == set()
        helped = re.findall(r'data-term="([\w.]+)"', player_markup())
        assert [term for term in helped if f"{term}.help" not in player_words()[lang]] == []
