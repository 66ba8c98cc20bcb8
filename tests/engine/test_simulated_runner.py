from __future__ import annotations

import pytest

from radixviz.engine.request import Draw
from radixviz.engine.runner import DecodeRow, ExtendRow, Sampled, SimulatedRunner

DRAWS = (Draw(1.0, 0.25), Draw(1.0, 0.75))


def runner(**settings: float) -> SimulatedRunner:
    """Return a runner that replies with the length of the sequence's id times 100 plus the number of the token."""
    return SimulatedRunner(lambda sequence_id, number: len(sequence_id) * 100 + number, **settings)  # type: ignore[arg-type]


def test_replies_are_numbered_for_each_sequence() -> None:
    """Each sequence gets its own reply, token by token; the draw is handed back as it came."""
    tried = runner()
    rows = [ExtendRow("a", (1, 2), 0, (1, 2), DRAWS[:1]), ExtendRow("bb", (3,), 4, (3, 4, 5, 6, 7), DRAWS[1:])]
    assert tried.extend(rows) == [(Sampled(100, DRAWS[0]),), (Sampled(200, DRAWS[1]),)]
    decoded = tried.decode([DecodeRow("bb", 200, (3, 4, 5, 6, 7, 8), DRAWS[1])])
    assert decoded == [Sampled(201, DRAWS[1])]
    assert tried.extend([ExtendRow("a", (1, 2, 100), 0, (1, 2, 3), DRAWS[:1])]) == [(Sampled(101, DRAWS[0]),)]


def test_samples_reply_each_for_itself() -> None:
    """A row with several draws answers for the samples of its request."""
    asked: list[str] = []
    tried = SimulatedRunner(lambda sequence_id, number: asked.append(sequence_id) or number)  # type: ignore[func-returns-value]
    assert tried.extend([ExtendRow("x#y#1", (1,), 0, (1,), DRAWS)]) == [(Sampled(0, DRAWS[0]), Sampled(0, DRAWS[1]))]
    assert asked == ["x#y#1", "x#y#2"]


def test_time_follows_the_tokens() -> None:
    """A pass costs its fixed time and a time for each token that it computes; a copy costs nothing."""
    tried = runner(seconds_per_forward=1.0, seconds_per_token=0.25)
    assert tried.now() == 0.0
    tried.extend([ExtendRow("a", (1, 2), 0, (1, 2), DRAWS[:1]), ExtendRow("b", (3,), 1, (3, 4), DRAWS[:1])])
    assert tried.now() == 1.75
    tried.decode([DecodeRow("a", 1, (1, 2, 3), DRAWS[0]), DecodeRow("b", 1, (3, 4, 5), DRAWS[0])])
    tried.copy_slots([1], [9])
    assert tried.now() == 3.25


@pytest.mark.parametrize("max_positions", [1, 2048])
def test_max_positions(max_positions: int) -> None:
    """It says how long a sequence may be as it was told."""
    assert runner(max_positions=max_positions).max_positions == max_positions
