"""Folding large trees: what is quiet and far from the root goes first, and nothing is lost from the count."""

from __future__ import annotations

from dataclasses import replace

from radixviz.render.tree_boxes import TreeBox
from radixviz.render.tree_fold import fold_boxes


def _box(key: str, parent: str | None, **changes: object) -> TreeBox:
    box = TreeBox(key, parent, "node", "cached", "", "", (1,), 1)
    return replace(box, **changes)  # type: ignore[arg-type]


def _shown(boxes: list[TreeBox], most: int) -> dict[str, int]:
    return {box.key: box.hidden for box in fold_boxes(boxes, most)}


TREE = [_box("a", None), _box("b", None), *(_box(f"a{n}", "a") for n in range(3)), _box("b0", "b"), _box("b00", "b0")]


def test_a_tree_that_fits_is_left_as_it_is() -> None:
    """Up to the limit nothing is folded."""
    assert fold_boxes(TREE, 7) == tuple(TREE)


def test_children_for_which_there_is_no_room_are_folded_with_all_below_them() -> None:
    """The children of a box are shown together or not at all, level by level; the count tells all that is hidden."""
    assert _shown(TREE, 6) == {"a": 0, "b": 0, "a0": 0, "a1": 0, "a2": 0, "b0": 1}
    assert _shown(TREE, 4) == {"a": 3, "b": 0, "b0": 0, "b00": 0}
    assert _shown(TREE, 2) == {"a": 3, "b": 2}


def test_what_is_at_work_is_never_folded() -> None:
    """New, hit, held, evicted and running boxes stay in view, with all that lies above them."""
    for work in ({"look": "hit"}, {"lock_ref": 1}, {"kind": "ghost"}, {"kind": "running"}):
        tree = [*TREE[:-1], _box("b00", "b0", **work)]
        assert _shown(tree, 4) == {"a": 3, "b": 0, "b0": 0, "b00": 0}
        assert _shown(tree, 1) == {"a": 3, "b": 0, "b0": 0, "b00": 0}


def test_a_box_whose_parent_is_gone_counts_as_one_below_the_root() -> None:
    """A ghost can outlive its parent: then it stands at the top."""
    assert _shown([*TREE, _box("g", "gone", kind="ghost")], 3) == {"a": 3, "b": 2, "g": 0}
