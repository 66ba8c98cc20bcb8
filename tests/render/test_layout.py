from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from radixviz.render.dot import layout_dot
from radixviz.render.far_scale import FAR_HEIGHT, FAR_WIDTH, fit_far
from radixviz.render.layout import Layout, Place, find_engine, lay_out, parse_plain
from radixviz.render.tree_boxes import tree_boxes
from radixviz.render.tree_scale import CANVAS_WIDTH, fit
from tests.render.small_timeline import frame, node, timeline


def test_plain_output_becomes_places() -> None:
    """Places are in widths of a box from the left edge, ranks count from the root."""
    plain = "graph 1 5 3\nnode 0 2 3 0.2 0.2\nnode 1 1 2 2 1\nnode 2 3.5 2 2 1\nnode 3 1 0.5 2 1\nstop\n"
    places = {0: Place(1.0, 0), 1: Place(0.5, 1), 2: Place(1.75, 1), 3: Place(0.5, 2)}
    assert parse_plain(plain) == Layout(places, width=2.25, ranks=3)


def test_graphviz_puts_siblings_in_their_order_on_one_rank() -> None:
    """Three children stand from left to right as they came, a grandchild below the second."""
    engine = find_engine()
    assert engine is not None
    nodes = [node(5, None, "a"), node(3, None, "b", slot=2), node(8, None, "c", slot=3), node(2, 3, "d", slot=4)]
    now = frame(nodes)
    found = lay_out(layout_dot(tree_boxes(timeline(now), now)), engine)
    assert found is not None
    assert [found.places[number].rank for number in range(5)] == [0, 1, 1, 1, 2]
    assert found.places[1].x < found.places[2].x < found.places[3].x
    assert found.places[4].x == pytest.approx(found.places[2].x, abs=0.02)


def test_the_engine_beside_python_is_found_without_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """graphviz-pure is found in the scripts folder even when the PATH is empty."""
    monkeypatch.setenv("PATH", "")
    engine = find_engine()
    assert engine is not None
    assert engine.stem == "graphviz-pure"


def test_a_program_that_fails_gives_no_layout(tmp_path: Path) -> None:
    """A missing program and one that is no Graphviz are both no engine."""
    assert lay_out("digraph { 0 }", tmp_path / "nothing") is None
    assert lay_out("digraph { 0 }", Path(sys.executable)) is None


def test_without_any_graphviz_there_is_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither beside Python nor on the PATH: None, so that the page can say so."""
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    assert find_engine() is None


@pytest.mark.parametrize("wide", [1.0, 3.5, 5.9, 12.0])
def test_boxes_fit_the_canvas_or_make_it_wider(wide: float) -> None:
    """A wide drawing gets narrower boxes, and a wider canvas rather than boxes that hold no text."""
    scale = fit(wide, 3)
    assert wide * scale.box_width <= scale.canvas_width
    assert scale.canvas_width == CANVAS_WIDTH or scale.box_width == 112
    assert 12 <= scale.columns <= 28


@pytest.mark.parametrize(("wide", "levels"), [(1.0, 1), (6.5, 3), (4.3, 4), (1.0, 3)])
def test_a_room_sees_the_whole_tree_of_the_tour(wide: float, levels: int) -> None:
    """The far scale fits it into the projector view, with a line of text where three levels leave room for one."""
    scale = fit_far(wide, levels)
    assert (scale.canvas_width, scale.canvas_height) == (FAR_WIDTH, FAR_HEIGHT)
    assert wide * scale.box_width <= FAR_WIDTH
    assert scale.top(levels) + scale.box_height <= FAR_HEIGHT
    assert (scale.columns > 9) == (levels < 4)


def test_a_larger_tree_keeps_the_size_of_its_letters() -> None:
    """Then the drawing is larger than the view, which scrolls."""
    scale = fit_far(30.0, 12)
    assert (scale.canvas_width, scale.canvas_height) > (FAR_WIDTH, FAR_HEIGHT)
    assert scale.box_height == fit_far(1.0, 4).box_height


def test_deep_trees_make_the_canvas_taller() -> None:
    """Boxes keep their height: 30 levels need a taller canvas, 4 do not."""
    assert fit(1, 4).canvas_height == fit(1, 1).canvas_height
    assert fit(1, 30).canvas_height > 2500
