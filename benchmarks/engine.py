"""Measures what the engine costs beside the model: `python benchmarks/engine.py`. It prints figures and fails nobody.

The tiny model answers prompts that have no beginning in common, so nothing is reused and all upkeep of the cache is in
vain; the pool is short, so leaves are evicted all the time. Every call of the model's runner, the cache and the pool is
timed; what the clock itself costs is measured on empty calls and taken off. Shares of one run are compared, never
seconds: the median of nine rounds, and the lowest and the highest, which a busy machine moves far apart.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from radixviz.cache.page_pool import PagePool  # noqa: E402
from radixviz.cache.radix_cache import RadixCache  # noqa: E402
from radixviz.engine.batching import Batching  # noqa: E402
from radixviz.engine.engine import Engine  # noqa: E402
from radixviz.engine.request import Request  # noqa: E402
from radixviz.model.loader import LoadedModel, build_runner, load  # noqa: E402

ROUNDS = 9
REQUESTS, PROMPT, REPLY = 24, 160, 48
POOL_TOKENS, MAX_RUNNING = 2400, 8
CACHE_CALLS = ("match_prefix", "insert", "inc_lock_ref", "dec_lock_ref", "evict")
POOL_CALLS = ("allocate", "free", "slots_of", "pages_of", "pages_for")
MODEL_CALLS = ("extend", "decode", "copy_slots")
GOALS = {"cache and pool": 0.003, "engine's own": 0.1}


class Stopwatch:
    """Adds up the seconds spent in some methods of some objects."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self.calls = 0

    def seconds(self, seconds_per_call: float) -> float:
        """Return the sum, less what the clock itself costs."""
        return self._seconds - self.calls * seconds_per_call

    def watch(self, target: object, names: Iterable[str]) -> None:
        """Time every call of these methods from now on."""
        for name in names:
            setattr(target, name, self._timed(getattr(target, name)))

    def _timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **options: Any) -> Any:
            begun = perf_counter()
            try:
                return call(*args, **options)
            finally:
                self._seconds += perf_counter() - begun
                self.calls += 1

        return timed


class Nothing:
    """Has a method that does nothing."""

    def call(self) -> None:
        """Do nothing."""


def clock_cost(calls: int = 20_000) -> tuple[float, float]:
    """Return what it costs to time a call: the seconds that count as the call's, and all of them."""
    nothing, watch = Nothing(), Stopwatch()
    watch.watch(nothing, ("call",))
    begun = perf_counter()
    for _ in range(calls):
        nothing.call()
    return watch.seconds(0.0) / calls, (perf_counter() - begun) / calls


def shares(loaded: LoadedModel, page_size: int, seed: int, requests: int = REQUESTS) -> dict[str, float]:
    """Serve all requests; return which share of the time each part took."""
    inside, whole = clock_cost()
    random, vocabulary = Random(seed), loaded.model.vocabulary_size
    cache, pool = RadixCache(page_size), PagePool(POOL_TOKENS // page_size, page_size)
    runner = build_runner(loaded, pool.num_pages, page_size)
    engine = Engine(cache, pool, runner, batching=Batching(MAX_RUNNING))
    model, upkeep = Stopwatch(), Stopwatch()
    model.watch(runner, MODEL_CALLS)
    upkeep.watch(cache, CACHE_CALLS)
    upkeep.watch(pool, POOL_CALLS)
    for number in range(requests):
        rest = (random.randrange(vocabulary) for _ in range(PROMPT - 1))
        engine.submit(Request(str(number), (number, *rest), REPLY))
    begun = perf_counter()
    engine.run()
    total = perf_counter() - begun - whole * (model.calls + upkeep.calls)
    assert all(sequence.cached_tokens == 0 for sequence in engine.sequences.values())
    parts = {"model": model.seconds(inside) / total, "cache and pool": upkeep.seconds(inside) / total}
    return {**parts, "engine's own": 1 - sum(parts.values())}


def main() -> None:
    """Print the table."""
    loaded = load("tiny")
    print("| page size | part | median | lowest | highest | goal |")
    print("|---|---|---|---|---|---|")
    for page_size in (1, 16):
        rounds = [shares(loaded, page_size, seed) for seed in range(ROUNDS)]
        for part in rounds[0]:
            found = sorted(each[part] for each in rounds)
            goal = f"at most {GOALS[part]:.1%}" if part in GOALS else ""
            print(f"| {page_size} | {part} | {median(found):.2%} | {found[0]:.2%} | {found[-1]:.2%} | {goal} |")


if __name__ == "__main__":
    main()
