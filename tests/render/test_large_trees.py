"""Trees that are deep or wide, in every form that leaves the room."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from radixviz.cache.radix_cache import RadixCache
from radixviz.render.dot import labelled_dot, layout_dot
from radixviz.render.export.timeline_json import read_timeline, write_timeline
from radixviz.render.tree_boxes import TreeBox, tree_boxes
from radixviz.render.tree_fold import fold_boxes
from radixviz.timeline import Frame, Timeline
from tests.deep_tree import CHAIN, chain, wide
from tests.render.small_timeline import frame, timeline


def shown(cache: RadixCache) -> tuple[Timeline, Frame]:
    """Return a timeline of one frame that shows this tree."""
    now = replace(frame(), tree=cache.snapshot())
    tokens = {token: b"x" for node in now.tree.nodes for token in node.token_ids}
    return timeline(now, token_bytes=tokens), now


def check_every_form(cache: RadixCache) -> None:
    """Every node is in the JSON and in both kinds of DOT, and the picture folds what it has no room for."""
    whole, now = shown(cache)
    nodes = now.tree.nodes
    data = write_timeline(whole)
    assert len(json.loads(data)["frames"][0]["tree"]["nodes"]) == len(nodes)
    assert read_timeline(data, "deep.json").frames[0].tree == now.tree
    boxes = [_box(node.node_id, node.parent_id) for node in nodes]
    for dot in (layout_dot(boxes), labelled_dot(boxes, {box.key: ["text"] for box in boxes})):
        assert dot.count(" -> ") == len(nodes)
    drawn = tree_boxes(whole, now)
    assert sum(1 for _ in fold_boxes(boxes)) == len(drawn)
    hidden = [box.hidden for box in drawn if box.hidden]
    assert sum(hidden) + len(drawn) >= len(nodes)


def _box(node_id: int, parent_id: int | None) -> TreeBox:
    parent = None if parent_id is None else f"n{parent_id}"
    return TreeBox(f"n{node_id}", parent, "node", "cached", "", "", (), 0, node_id=node_id)


def test_a_deep_chain() -> None:
    """A chain of five thousand nodes becomes JSON, DOT and a folded picture."""
    check_every_form(chain(CHAIN))


@pytest.mark.deep
def test_fifty_thousand_leaves() -> None:
    """So does a tree of fifty thousand leaves."""
    check_every_form(wide(50_000))
