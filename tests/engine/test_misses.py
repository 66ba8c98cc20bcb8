"""MissFold: one reason for each prompt token that was not reused."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import pytest

from radixviz.engine.batching import Batching
from radixviz.engine.metrics import MetricsFold
from radixviz.engine.misses import Misses
from radixviz.events import Namespace
from tests.engine.serving import Serving

OTHER: Namespace = ("model", None, None, None)


class Explained(Serving):
    """An engine whose events are folded."""

    def reasons(self, sequence_id: str) -> str:
        """Return what was reused and why the rest was not, run by run; every prompt token has one of these."""
        fold = MetricsFold()
        for event in self.events:
            fold.note(event)
        assert fold.totals.misses.total + fold.totals.cached_tokens == fold.totals.prompt_tokens
        sequence = self[sequence_id]
        reasons: Sequence[str] = fold.misses.reasons[sequence_id]
        assert len(reasons) + sequence.cached_tokens == sequence.prompt_len
        every = ["reused"] * sequence.cached_tokens + list(reasons)
        return ", ".join(f"{len(list(run))} {reason}" for reason, run in groupby(every))


def test_nothing_is_known_at_first() -> None:
    """All of the first prompt is new."""
    serving = Explained()
    serving.run("a", range(5), 3)
    assert serving.reasons("a") == "5 never_seen"


@pytest.mark.parametrize("turn_as_one_edge", [True, False])
@pytest.mark.parametrize(
    ("page_size", "prompt", "reasons"),
    [
        (1, (0, 1, 2, 3, 4, 900, 901, 902, 7, 8), "7 reused, 3 never_seen"),  # the reply's last token has no K and V
        (1, (0, 1, 2, 3, 4), "4 reused, 1 last_token"),
        (1, (0, 1, 2), "2 reused, 1 last_token"),
        (1, (0, 1, 9, 9), "2 reused, 2 diverged"),
        (1, (9, 9), "2 never_seen"),
        (1, (0, 1, 2, 3, 4, 900, 5), "6 reused, 1 diverged"),
        (4, (0, 1, 2, 3, 4, 900, 901, 902, 7, 8), "4 reused, 3 page_rounding, 3 never_seen"),
        (4, (0, 1, 2, 3), "3 page_rounding, 1 last_token"),
        (4, (0, 1, 9, 9, 9), "2 page_rounding, 3 diverged"),
        (4, (0, 1, 2, 3, 9), "4 reused, 1 diverged"),
    ],
)
def test_after_one_request(page_size: int, prompt: tuple[int, ...], reasons: str, turn_as_one_edge: bool) -> None:
    """With one request served, what is known, where it ends and how pages lie decide the reason."""
    serving = Explained(64, page_size, turn_as_one_edge=turn_as_one_edge)
    serving.run("first", range(5), 3)
    serving.run("second", prompt, 1)
    assert serving.reasons("second") == reasons


def test_evicted_earlier() -> None:
    """What was pushed out says so, and what comes after it is new."""
    serving = Explained(6)
    for name, prompt in (("a", range(4)), ("b", range(10, 14)), ("c", range(5))):
        serving.run(name, prompt, 1)
    assert serving.reasons("c") == "4 evicted, 1 never_seen"


def test_twins_in_flight() -> None:
    """Two that come together compute the same; a third finds the prompt, not the reply that still grows."""
    serving = Explained()
    serving.submit("a", range(4), 5)
    serving.submit("b", range(5), 5)
    serving.step(3)
    serving.submit("c", (*range(4), 900, 901, 902, 8), 1)
    serving.step()
    assert serving.reasons("a") == "4 never_seen"
    assert serving.reasons("b") == "4 in_flight, 1 never_seen"
    assert serving.reasons("c") == "4 reused, 2 in_flight, 2 never_seen"


def test_another_namespace() -> None:
    """What only another namespace has in the tree is told apart from what nobody has."""
    serving = Explained()
    serving.run("a", range(4), 1)
    serving.submit("b", range(6), 1, namespace=OTHER)
    serving.run_until_idle()
    assert serving.reasons("b") == "4 other_namespace, 2 never_seen"


def test_given_back_by_a_cancelled_request() -> None:
    """A reply that was called off is gone; its prompt is in the tree."""
    serving = Explained()
    serving.submit("a", range(4), 9)
    serving.step(3)
    serving.engine.cancel("a")
    serving.run("b", (*range(4), 900, 901, 902), 1)
    assert serving.reasons("b") == "4 reused, 2 evicted, 1 never_seen"


@pytest.mark.parametrize(
    ("prompt", "reasons"),
    [
        (range(5), "2 reused, 2 other_namespace, 1 never_seen"),
        (range(4), "2 reused, 2 other_namespace"),
        ((0, 1, 2, 3, 4, 5, 7), "2 reused, 2 other_namespace, 2 never_seen, 1 diverged"),
    ],
)
def test_called_off_before_it_was_computed(prompt: Sequence[int], reasons: str) -> None:
    """What a request was to compute when it was called off counts as if nobody had asked for it."""
    serving = Explained(batching=Batching(prefill_chunk=2))
    serving.submit("a", range(4), 1, namespace=OTHER)
    serving.run_until_idle()
    serving.submit("b", range(7), 1)
    serving.step()
    serving.engine.cancel("b")
    serving.run("c", prompt, 1)
    assert serving.reasons("c") == reasons


def test_given_back_by_a_retracted_sequence() -> None:
    """A reply whose sequence was sent back is gone until it returns; its prompt is in the tree."""
    serving = Explained(9, batching=Batching(max_running=2), reply=lambda name, number: 900 if name == "old" else 800)
    serving.submit("old", [1, 2, 3], 5)
    serving.submit("young", [4, 5, 6], 5)
    while serving.engine.waiting != ("young",):
        serving.step()
    serving.engine.cancel("old")
    serving.engine.cancel("young")
    serving.run("next", [4, 5, 6, 800, 7], 1)
    assert serving.reasons("next") == "3 reused, 1 evicted, 1 never_seen"


def test_without_a_cache() -> None:
    """With the cache off nothing is kept: the second time all of it had been computed and was given up."""
    serving = Explained(disabled=True)
    serving.run("a", range(4), 1)
    serving.run("b", range(5), 1)
    assert serving.reasons("b") == "4 evicted, 1 never_seen"


def test_a_group_and_a_return_give_no_second_reason() -> None:
    """Samples share one look-up, and one that was sent back keeps the reasons of its first one."""
    serving = Explained(9)
    serving.submit("old", [1, 2, 3], 5)
    serving.submit("young", [4, 5, 6], 5)
    serving.run_until_idle()
    serving.submit("group", [7, 8], 2, samples=2)
    serving.run_until_idle()
    fold = MetricsFold()
    for event in serving.events:
        fold.note(event)
    assert fold.totals.misses == Misses(never_seen=8)
    assert list(fold.misses.reasons) == ["old", "young", "group#1"]
