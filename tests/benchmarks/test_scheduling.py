"""The scheduling benchmark: what it asks, and that the documents give its results."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from benchmarks.scheduling import all_at_once, one_by_one, serve
from benchmarks.scheduling_workload import KINDS, Asked, Workload, workload

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"


def test_distinct_tokens_are_those_of_one_tree() -> None:
    """What several begin with counts once, and the last token of a reply has no K and V."""
    asked = Workload(
        "", (Asked((1, 2, 3), (4, 5)), Asked((1, 2), (9,)), Asked((1, 2, 3, 4), (6,)), Asked((7,), (8, 9)))
    )
    assert asked.distinct_tokens() == len({(1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), (7,), (7, 8)})


def test_turns_arrive_in_their_order() -> None:
    """A shuffle keeps each conversation's turns in order, and is the same for the same seed."""
    asked = workload("multi-turn chat", 3)
    order = asked.arrivals(Random(7))
    assert sorted(order) == list(range(100)) != order
    for chain in {request.chain for request in asked.requests}:
        turns = [number for number in order if asked.requests[number].chain == chain]
        assert turns == sorted(turns)
    assert order == asked.arrivals(Random(7))


@pytest.mark.parametrize("name", KINDS)
def test_the_same_seed_asks_the_same(name: str) -> None:
    """100 requests of this kind, the same for the same seed, others for another."""
    assert workload(name, 1) == workload(name, 1) != workload(name, 2)
    assert len(workload(name, 1).requests) == 100


def test_longest_prefix_first_reuses_more_than_arrival() -> None:
    """On one few-shot workload lpm is near depth first, and the order of arrival far below."""
    asked = workload("few-shot", 0)
    arrivals = asked.arrivals(Random(0))
    best, lpm, fcfs = (
        serve(asked, order, policy, 0).hit_rate
        for order, policy in ((asked.depth_first(), "fcfs"), (arrivals, "lpm"), (arrivals, "fcfs"))
    )
    assert lpm > 0.96 * best > 1.5 * fcfs


@pytest.mark.deep
@pytest.mark.parametrize("name", KINDS)
def test_the_document_has_these_results(name: str) -> None:
    """Every line of both tables is what the benchmark finds, and lpm reaches its goal."""
    found = all_at_once(name) + one_by_one(name)
    assert [row for row in found if row not in DOCUMENT.read_text("utf-8")] == []
    assert [row for row in found if "missed" in row] == []
