"""Runs one measurement for each line it reads and answers with a line of JSON; `benchmarks/cache.py` starts it.

run CORE PAGE_SIZE CAPACITY   the whole workload; CORE is radixviz, events (radixviz, all events told) or sglang
growth LEAVES                 our eviction in a tree of so many leaves
deep CORE TOKENS NODES        microseconds of a look-up of TOKENS tokens along NODES nodes
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.cache_life_cycle import OPERATIONS, Core, LifeCycle  # noqa: E402
from benchmarks.cache_workload import CacheWorkload, Exchange  # noqa: E402
from benchmarks.radixviz_core import RadixvizCore  # noqa: E402
from benchmarks.sglang_core import SGLangCore, deep_match, open_sglang  # noqa: E402
from radixviz.cache.key import RadixKey  # noqa: E402
from radixviz.cache.radix_cache import RadixCache  # noqa: E402

ROUNDS, TOUCHES = 1000, 16
LEAF_TOKENS = 4


def run(core: Core, exchanges: Sequence[Exchange]) -> dict[str, float]:
    """Return requests a second, microseconds a request of each operation, and the hit tokens."""
    gc.collect()
    outcome = LifeCycle(core).run(exchanges)
    parts = {name: outcome.nanoseconds[name] / outcome.requests / 1e3 for name in OPERATIONS}
    found = {"requests_per_second": outcome.requests_per_second, "hit_tokens": outcome.hit_tokens, **parts}
    found["prompt_tokens"] = outcome.prompt_tokens
    if isinstance(core, RadixvizCore):
        core.cache.check_integrity()
        found |= {"bytes_per_token": core.bytes_per_token(), "events": core.told}
    return found


def make(name: str, page_size: int, capacity: int) -> Core:
    """Return a new core of this name."""
    match name:
        case "radixviz" | "events":
            return RadixvizCore(page_size, capacity, events=name == "events")
        case _:
            return SGLangCore(page_size, capacity)


def growth(leaves: int) -> dict[str, float]:
    """Touch 16 random leaves and evict 1, a thousand times; return microseconds. What went is put back, untimed."""
    cache, random, clock = RadixCache(), Random(0), time.thread_time_ns
    keys = [RadixKey(array("q", range(n * LEAF_TOKENS, (n + 1) * LEAF_TOKENS))) for n in range(leaves)]
    for key in keys:
        cache.insert(key)
    touched, evicted = list[int](), list[int]()
    for _ in range(ROUNDS):
        chosen = [random.choice(keys) for _ in range(TOUCHES)]
        begun = clock()
        for key in chosen:
            cache.match_prefix(key)
        middle = clock()
        freed = cache.evict(1)
        evicted.append(clock() - middle)
        touched.append(middle - begun)
        cache.insert(keys[freed[0] // LEAF_TOKENS])
    both = [touch + evict for touch, evict in zip(touched, evicted, strict=True)]
    figures = {"touch 16 and evict": sum(both), "evict": sum(evicted)}
    return {name: total / ROUNDS / 1e3 for name, total in figures.items()} | {"worst evict": max(evicted) / 1e3}


def deep(name: str, tokens: int, nodes: int) -> dict[str, float]:
    """Return the median microseconds of a look-up along a deep path."""
    match = our_deep_match(tokens, nodes) if name == "radixviz" else deep_match(tokens, nodes)
    times = []
    for _ in range(101):
        begun = time.thread_time_ns()
        found = match()
        times.append(time.thread_time_ns() - begun)
        assert found == tokens
    return {"microseconds": sorted(times)[50] / 1e3}


def our_deep_match(tokens: int, nodes: int) -> Callable[[], int]:
    """Return a look-up of `tokens` tokens along `nodes` nodes of our tree."""
    cache, ids = RadixCache(), array("q", range(tokens))
    cache.insert(RadixKey(ids))
    for length in range(tokens - tokens // nodes, 0, -(tokens // nodes)):  # longest first: cut at the top
        cache.match_prefix(RadixKey(ids[:length]))
    key = RadixKey(ids)
    return lambda: len(cache.match_prefix(key).slots)


def answer(words: Sequence[str], exchanges: Sequence[Exchange]) -> dict[str, float]:
    """Carry out one line."""
    match words:
        case ["run", name, page_size, capacity]:
            return run(make(name, int(page_size), int(capacity)), exchanges)
        case ["growth", leaves]:
            return growth(int(leaves))
        case ["deep", name, tokens, nodes]:
            return deep(name, int(tokens), int(nodes))
        case _:
            raise ValueError(f"not a measurement: {words}")


def main() -> None:
    """Draw the workload once, then measure what is asked until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--sglang", type=Path, default=None, help="folder of an unpacked SGLang wheel")
    options = parser.parse_args()
    if options.sglang:
        open_sglang(options.sglang)
    exchanges = list(CacheWorkload().requests(options.requests))
    gc.freeze()
    for line in sys.stdin:
        print(json.dumps(answer(line.split(), exchanges)), flush=True)


if __name__ == "__main__":
    main()
