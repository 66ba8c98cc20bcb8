"""The engine over each cache: only what is reused differs."""

from __future__ import annotations

from random import Random

import pytest

from radixviz.cache.block_cache import BlockCache
from radixviz.cache.no_cache import NoCache
from radixviz.cache.page_pool import PagePool
from radixviz.cache.prefix_cache import PrefixCache
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request, Sequence
from radixviz.engine.schedule import SCHEDULE_POLICIES, schedule_policy
from radixviz.events import NO_NAMESPACE
from tests.engine.kv_watch import KVWatch
from tests.engine.serving import say

CACHES = {"radix": RadixCache, "blocks": BlockCache, "none": NoCache}
BOTH_WAYS = pytest.mark.parametrize("turn_as_one_edge", [True, False])


class Served:
    """An engine over a cache of this name; its runner checks every slot that it reads."""

    def __init__(
        self, cache: str, page_size: int, pool_pages: int, *, turn_as_one_edge: bool = True, schedule: str = "fcfs"
    ) -> None:
        made: PrefixCache = CACHES[cache](page_size)
        self.pool = PagePool(pool_pages, page_size)
        runner, order = KVWatch(say), schedule_policy(schedule)
        self.engine = Engine(made, self.pool, runner, turn_as_one_edge=turn_as_one_edge, schedule=order)
        runner.engine = self.engine

    def run(self, name: str, prompt: tuple[int, ...], output: int = 1, *, salt: str | None = None) -> Sequence:
        """Serve one request; every law holds at each step."""
        self.engine.submit(Request(name, prompt, output, namespace=(*NO_NAMESPACE[:2], salt, None)))
        self.until_idle()
        return self.engine.sequences[name]

    def until_idle(self) -> None:
        """Step until nothing waits or runs; then every page is free or in the cache."""
        while self.engine.has_work:
            self.engine.step()
            self.engine.check_integrity()
        tree = self.engine.tree()
        assert self.pool.free_pages + tree.evictable_size // self.pool.page_size == self.pool.num_pages


@BOTH_WAYS
@pytest.mark.parametrize(
    ("page_size", "length", "cached"), [(4, 8, 4), (1, 8, 7), (4, 9, 8), (16, 117, 112), (4, 1, 0)]
)
@pytest.mark.parametrize("cache", ["radix", "blocks"])
def test_at_most_the_full_blocks_before_the_last_token(
    cache: str, page_size: int, length: int, cached: int, turn_as_one_edge: bool
) -> None:
    """A prompt that is cached in full reuses (L - 1) // B blocks, as its last token must be computed."""
    served = Served(cache, page_size, 128, turn_as_one_edge=turn_as_one_edge)
    first, second = (served.run(name, tuple(range(length))) for name in ("first", "second"))
    assert (first.cached_tokens, second.cached_tokens) == (0, cached)


@BOTH_WAYS
def test_without_a_cache_nothing_is_reused(turn_as_one_edge: bool) -> None:
    """Without a cache every page is free again when a request ends."""
    served = Served("none", 4, 16, turn_as_one_edge=turn_as_one_edge)
    assert [served.run(name, (1, 2, 3, 4, 5, 6), 5).cached_tokens for name in "ab"] == [0, 0]
    assert served.pool.free_pages == 16


@pytest.mark.parametrize("cache", ["radix", "blocks"])
def test_the_next_turn_reuses_the_reply(cache: str) -> None:
    """A turn reuses all that was computed before it in full blocks, and another salt nothing of it."""
    served = Served(cache, 4, 64)
    first = served.run("first", tuple(range(20)), 9)
    turn = (*first.token_ids, 7, 7, 7)
    assert served.run("other", turn, salt="s").cached_tokens == 0
    assert served.run("second", turn).cached_tokens == 28


def test_a_short_pool_costs_blocks_less() -> None:
    """What a whole leaf is too much for: evicting single blocks keeps the beginning of the oldest sequence."""
    kept = {}
    for cache in ("radix", "blocks"):
        served = Served(cache, 4, 8)
        served.run("old", tuple(range(16)))
        served.run("new", tuple(range(100, 120)))
        kept[cache] = served.run("old again", tuple(range(16))).cached_tokens
    assert kept == {"radix": 0, "blocks": 12}


@pytest.mark.parametrize("schedule", SCHEDULE_POLICIES)
@pytest.mark.parametrize("cache", list(CACHES))
def test_every_order_over_every_cache(cache: str, schedule: str) -> None:
    """In a small pool, with requests sent back, everybody gets the same reply over every cache."""
    served, random = Served(cache, 2, 14, schedule=schedule), Random(1)
    lengths = dict[str, int]()
    for number in range(8):
        name, prompt = f"r{number}", tuple(random.randrange(2) for _ in range(random.randint(1, 12)))
        lengths[name] = random.randint(1, 8)
        served.engine.submit(Request(name, prompt, lengths[name], samples=1))
    served.until_idle()
    replies = {name: served.engine.sequences[name].output_ids for name in lengths}
    assert replies == {name: tuple(say(name, n) for n in range(length)) for name, length in lengths.items()}
