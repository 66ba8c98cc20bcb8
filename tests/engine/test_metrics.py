"""MetricsFold: totals that add up, and tokens computed again."""

from __future__ import annotations

import pytest

from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.engine import Engine
from radixviz.engine.metrics import Metrics, MetricsFold
from radixviz.engine.misses import Misses
from radixviz.engine.request import Request
from radixviz.engine.runner import SimulatedRunner


def _engine(pool_pages: int, page_size: int = 1) -> tuple[Engine, MetricsFold]:
    fold = MetricsFold()
    cache = RadixCache(page_size, emit=fold.note)
    runner = SimulatedRunner(lambda sequence_id, number: 100 + number)
    return Engine(cache, PagePool(pool_pages, page_size), runner, emit=fold.note), fold


def test_hits_and_computed_tokens_add_up_to_the_prompts() -> None:
    """The second request reuses the first one's prompt and answer, but for the token that has no KV."""
    engine, fold = _engine(64)
    engine.submit(Request("a", (1, 2, 3), 2))
    engine.run()
    engine.submit(Request("b", (1, 2, 3, 100, 101, 5), 1))
    engine.run()

    assert fold.totals == Metrics(
        requests=2,
        prompt_tokens=9,
        cached_tokens=4,
        computed_tokens=5,
        generated_tokens=3,
        looked_up=2,
        hits=1,
        misses=Misses(never_seen=5),
    )
    assert (fold.totals.hit_rate, fold.totals.request_hit_rate) == (4 / 9, 1 / 2)
    assert fold.cached == {"a": 0, "b": 4}


def test_a_group_of_samples_counts_once() -> None:
    """Three samples of one prompt ask for its tokens once."""
    engine, fold = _engine(64)
    engine.submit(Request("a", (1, 2, 3), 2, samples=3))
    engine.run()

    assert fold.totals == Metrics(
        requests=1,
        prompt_tokens=3,
        computed_tokens=3,
        generated_tokens=6,
        looked_up=1,
        most_shared_tokens=6,
        misses=Misses(never_seen=3),
    )
    assert fold.cached == {"a": 0}


def test_tokens_evicted_and_wanted_again_are_counted() -> None:
    """A prompt that was pushed out in between is computed again, and its tokens are marked one by one."""
    engine, fold = _engine(6)
    for name, prompt in (("a", (1, 2, 3, 4)), ("b", (7, 8, 9, 10)), ("c", (1, 2, 3, 4, 5))):
        engine.submit(Request(name, prompt, 1))
        engine.run()

    assert fold.totals.again_tokens == 4
    assert (fold.totals.evictions, fold.totals.evicted_tokens, fold.totals.overshoot_tokens) == (2, 8, 3)
    assert fold.again["c"] == (True, True, True, True, False)


def test_a_retraction_inflates_nothing() -> None:
    """Four prompts without a common token, in a pool so small that some are sent back: no hit, no extra prompt."""
    engine, fold = _engine(16)
    for name in range(4):
        engine.submit(Request(str(name), tuple(range(10 * name, 10 * name + 4)), 8))
    while engine.has_work:
        engine.step()
        engine.check_integrity()

    assert (fold.totals.prompt_tokens, fold.totals.cached_tokens, fold.totals.hit_rate) == (16, 0, 0.0)
    assert (fold.totals.computed_tokens, fold.totals.generated_tokens) == (16, 32)
    assert (fold.totals.retractions, fold.totals.recomputed_tokens) == (5, 26)


@pytest.mark.parametrize(("page_size", "overshoot"), [(1, 4), (4, 0), (2, 2)])
def test_overshoot_is_what_nobody_was_short_of(page_size: int, overshoot: int) -> None:
    """One page is short and a leaf of four tokens goes: the rest of it is overshoot."""
    engine, fold = _engine(8 // page_size, page_size)
    for name, prompt in (("a", range(4)), ("b", range(10, 14)), ("c", (20,))):
        engine.submit(Request(name, tuple(prompt), 1))
        engine.run()

    assert (fold.totals.evicted_tokens, fold.totals.overshoot_tokens) == (4, overshoot - (page_size == 1))


def test_nothing_asked_is_no_rate() -> None:
    """Before the first look-up both rates are 0, and a byte is saved for each that a shared token has."""
    assert (Metrics().hit_rate, Metrics().request_hit_rate) == (0.0, 0.0)
    assert Metrics(shared_tokens=3).saved_bytes(100) == 300


@pytest.mark.parametrize(("pages", "page_size"), [(7, 1), (8, 1), (4, 2), (2, 8), (1, 16), (12, 1)])
def test_samples_that_are_sent_back_are_asked_for_once(pages: int, page_size: int) -> None:
    """However many of a group must wait and be computed anew, its prompt counts once and misses once."""
    engine, fold = _engine(pages, page_size)
    engine.submit(Request("a", (1, 2, 3), 3, samples=4))
    engine.run()

    totals = fold.totals
    assert (totals.requests, totals.prompt_tokens, totals.cached_tokens, totals.computed_tokens) == (1, 3, 0, 3)
    assert (totals.misses, totals.generated_tokens) == (Misses(never_seen=3), 12)
    assert (totals.recomputed_tokens > 0) == (totals.retractions > 0)
