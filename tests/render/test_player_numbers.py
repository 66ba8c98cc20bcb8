from __future__ import annotations

from radixviz.render.player_numbers import frame_numbers, held_nodes, prompts
from radixviz.timeline import NodeMark, TokenSpan
from tests.render.small_timeline import frame, node, sequence

SPANS = [TokenSpan("reused", 2), TokenSpan("computed", 1), TokenSpan("again", 1), TokenSpan("generated", 1)]


def test_the_numbers_of_one_request_and_the_totals() -> None:
    """L, L_hit, what was computed (again counts too), and the run's hit rate and sums."""
    assert frame_numbers(frame(sequences=(sequence("abcde", SPANS),))) == ["4", "2", "2", "25%", "10", "30", "0"]


def test_a_batch_shows_one_number_for_each_request() -> None:
    """Two requests side by side."""
    two = (sequence("abcde", SPANS, name="F2"), sequence("abc", [TokenSpan("computed", 3)], name="F3"))
    assert frame_numbers(frame(sequences=two))[:3] == ["4 + 3", "2 + 0", "2 + 3"]


def test_samples_count_once() -> None:
    """Four samples are one prompt."""
    four = [sequence("abcde", SPANS, name="F4", sample=n, samples=4) for n in (1, 2, 3, 4)]
    assert [one.sequence_id for one in prompts(frame(sequences=four))] == ["F4#1"]


def test_locks_are_listed_by_name() -> None:
    """A node without a name is called by its id; where nothing is locked there is none."""
    now = frame((node(1, None, "a", lock_ref=2), node(5, 1, "b", slot=2, lock_ref=1)), {1: NodeMark("hit", "SYS")})
    assert held_nodes(now) == ["SYS 2", "#5 1"]
    assert held_nodes(frame()) == []
