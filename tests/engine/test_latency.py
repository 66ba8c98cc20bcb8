"""LatencyFold: what users wait for, on the clock that is handed in."""

from __future__ import annotations

import pytest

from radixviz.engine.latency import Latency, LatencyFold, Spread
from radixviz.events import (
    NO_NAMESPACE,
    Event,
    RequestArrived,
    RequestMatched,
    SequenceCancelled,
    SequenceFinished,
    SequenceRetracted,
    TokenSampled,
)


def measured(*timed: tuple[float, Event]) -> LatencyFold:
    """Return the fold after these events, each at its second."""
    clock = [0.0]
    fold = LatencyFold(lambda: clock[0])
    for clock[0], event in timed:
        fold.note(event)
    return fold


def test_a_request_from_its_arrival_to_its_end() -> None:
    """It waits 2 s, has its first token after 3, and then one each second and a half."""
    fold = measured(
        (1, RequestArrived("a", ("a",), (5,), NO_NAMESPACE)),
        (3, RequestMatched("a", 0, 0, ())),
        (4, TokenSampled("a", 7)),
        (6, TokenSampled("a", 7)),
        (7, TokenSampled("a", 7)),
        (7, SequenceFinished("a", "length")),
    )
    assert fold.latency == Latency(Spread(1, 2, 2, 2), Spread(1, 3, 3, 3), Spread(1, 1.5, 1.5, 1.5))


def test_samples_and_returns() -> None:
    """A group waits once and has one first token; a retraction shows in the gaps, not in the wait."""
    fold = measured(
        (0, RequestArrived("g", ("g#1", "g#2"), (5,), NO_NAMESPACE)),
        (1, RequestMatched("g#1", 0, 0, ())),
        (2, TokenSampled("g#1", 7)),
        (2, TokenSampled("g#2", 7)),
        (2, SequenceRetracted("g#2")),
        (3, TokenSampled("g#1", 7)),
        (3, SequenceFinished("g#1", "length")),
        (8, RequestMatched("g#2", 0, 0, (), resumed=True)),
        (9, TokenSampled("g#2", 7)),
        (9, SequenceFinished("g#2", "length")),
    )
    assert (fold.queue_waits, fold.ttfts, fold.tpots) == ({"g": 1}, {"g": 2}, {"g#1": 1, "g#2": 7})


def test_those_without_a_gap() -> None:
    """One token, or a cancelled reply, has no time per output token; one that still waits counts nowhere."""
    fold = measured(
        (0, RequestArrived("one", ("one",), (5,), NO_NAMESPACE)),
        (0, RequestArrived("off", ("off",), (5,), NO_NAMESPACE)),
        (0, RequestArrived("still", ("still",), (5,), NO_NAMESPACE)),
        (1, RequestMatched("one", 0, 0, ())),
        (1, RequestMatched("off", 0, 0, ())),
        (2, TokenSampled("one", 7)),
        (2, SequenceFinished("one", "length")),
        (3, TokenSampled("off", 7)),
        (4, TokenSampled("off", 7)),
        (4, SequenceCancelled("off")),
    )
    assert fold.latency == Latency(Spread(2, 1, 1, 1), Spread(2, 2, 3, 3), Spread())


@pytest.mark.parametrize(
    ("seconds", "spread"),
    [
        ([], Spread(0, 0, 0, 0)),
        ([4.0], Spread(1, 4, 4, 4)),
        ([float(n) for n in range(1, 101)], Spread(100, 50, 95, 100)),
        ([float(n) for n in range(20, 0, -1)], Spread(20, 10, 19, 20)),
    ],
)
def test_percentiles_are_of_those_that_were_measured(seconds: list[float], spread: Spread) -> None:
    """Each percentile is one of the durations: the smallest that so many are not above."""
    assert Spread.of(seconds) == spread
