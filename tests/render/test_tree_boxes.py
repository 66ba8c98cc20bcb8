from __future__ import annotations

from radixviz.render.tree_boxes import TreeBox, tree_boxes
from radixviz.timeline import Frame, Ghost, Missing, NodeMark, TokenSpan
from tests.render.small_timeline import frame, ids, node, sequence, timeline


def shown(*frames: Frame) -> list[tuple[str, str | None, str, int, int]]:
    """Return key, parent, kind, stored and running tokens of each box of the last frame."""
    boxes = tree_boxes(timeline(*frames), frames[-1])
    return [(box.key, box.parent, box.kind, box.stored, box.running) for box in boxes]


def test_a_node_is_a_box_with_its_mark() -> None:
    """Name, letter, look, lock and the sample that it repeats come from the frame."""
    now = frame((node(7, None, "abc", lock_ref=2),), {7: NodeMark("hit", "SYS", "b", ("a", "b"), 3)})
    assert tree_boxes(timeline(now), now) == (
        TreeBox("n7", None, "node", "hit", "SYS", "b", ids("abc"), 3, lock_ref=2, repeats=3, node_id=7),
    )


def test_a_running_request_grows_on_its_own_leaf() -> None:
    """Its own pages are counted apart, and their text follows that of the node."""
    running = sequence("abcxy", [TokenSpan("computed", 3), TokenSpan("generated", 2)], node_id=1, tail=(10,))
    now = frame((node(1, None, "abc", lock_ref=1),), {1: NodeMark("new")}, sequences=(running,))
    (box,) = tree_boxes(timeline(now), now)
    assert (box.stored, box.running, box.token_ids) == (3, 1, ids("abcxy"))


def test_samples_that_share_a_prompt_get_a_box_each() -> None:
    """Four samples hold one node; each has a box of its own below it."""
    samples = [
        sequence(
            "abx", [TokenSpan("reused", 2), TokenSpan("generated", 1)], sample=n, samples=2, node_id=1, tail=(9 + n,)
        )
        for n in (1, 2)
    ]
    now = frame((node(1, None, "ab", lock_ref=2),), {1: NodeMark("hit")}, sequences=samples)
    assert shown(now) == [
        ("n1", None, "node", 2, 0),
        ("rA1#1", "n1", "running", 0, 1),
        ("rA1#2", "n1", "running", 0, 1),
    ]


def test_a_tail_below_a_node_of_others_is_a_box_of_its_own() -> None:
    """A request that is still computing its prompt holds a hit node, which does not grow."""
    running = sequence("abcd", [TokenSpan("reused", 2), TokenSpan("computed", 2)], node_id=1, tail=(10, 11))
    now = frame((node(1, None, "ab", lock_ref=1),), {1: NodeMark("hit")}, sequences=(running,))
    assert shown(now) == [("n1", None, "node", 2, 0), ("rA1", "n1", "running", 0, 2)]


def test_ghosts_stand_where_their_nodes_stood() -> None:
    """Two of four siblings are evicted, the second one first: the order from left to right stays."""
    nodes = [node(1, None, "a"), node(2, None, "b", slot=2), node(3, None, "c", slot=3), node(4, None, "d", slot=4)]
    before = frame(nodes, index=0)
    first = frame([nodes[0], nodes[2], nodes[3]], index=1, stage_frame=2, ghosts=(Ghost(nodes[1], 1),))
    second = frame([nodes[0], nodes[3]], index=2, stage_frame=3, ghosts=(Ghost(nodes[1], 1), Ghost(nodes[2], 2)))
    assert [row[0] for row in shown(before, first)] == ["n1", "n2", "n3", "n4"]
    assert [row[0] for row in shown(before, first, second)] == ["n1", "n2", "n3", "n4"]
    assert [row[2] for row in shown(before, first, second)] == ["node", "ghost", "ghost", "node"]


def test_a_missing_piece_hangs_where_the_match_stopped() -> None:
    """What was there and when it went is kept for its text."""
    now = frame((node(1, None, "ab"),), missing=(Missing("A3", 1, 5, 150, "A2", "c", 5),))
    missing = tree_boxes(timeline(now), now)[1]
    assert (missing.parent, missing.kind, missing.letter, missing.stored, missing.evicted_in_stage) == (
        "n1",
        "missing",
        "c",
        150,
        5,
    )


def test_a_chain_of_five_thousand_nodes_is_no_recursion() -> None:
    """Depth costs no stack."""
    nodes = [node(n, n - 1 if n else None, "a", slot=n + 1) for n in range(5000)]
    running = sequence(b"a" * 5001, [TokenSpan("computed", 5001)], node_id=4999, tail=(1,))
    now = frame(nodes, {4999: NodeMark("new")}, sequences=(running,))
    assert shown(now)[-1] == ("n4999", "n4998", "node", 1, 1)
