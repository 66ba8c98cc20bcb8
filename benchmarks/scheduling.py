"""Compares orders of the waiting queue: `python benchmarks/scheduling.py`. It prints a table and fails nobody.

100 requests wait at once, in shuffled order, for a pool that holds a quarter of their distinct tokens. "depth first" is
their order in the tree of all prompts, known beforehand: no order reuses more. The others see the queue only: lpm takes
the longest cached prefix first. At most 8 run at once, and a request waits for a twin's prefill (`TWINS`).

A hit rate is cached by prompt tokens, over the seeds; "of depth first" is the ratio to depth first on the same requests
and pool, the lowest of the seeds. Times are the cost model's (`SimulatedRunner`), so they are the same everywhere.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import mean

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.scheduling_workload import KINDS, Workload, workload  # noqa: E402
from radixviz.cache.page_pool import PagePool  # noqa: E402
from radixviz.cache.radix_cache import RadixCache  # noqa: E402
from radixviz.engine.batching import Batching  # noqa: E402
from radixviz.engine.engine import Engine  # noqa: E402
from radixviz.engine.latency import LatencyFold  # noqa: E402
from radixviz.engine.request import Request  # noqa: E402
from radixviz.engine.runner import SimulatedRunner  # noqa: E402
from radixviz.engine.schedule import schedule_policy  # noqa: E402

SEEDS = range(5)
POLICIES = ("lpm", "dfs-weight", "fcfs", "random")
GOAL = 0.96
"""Of the hit rate of depth first: what lpm reaches on every workload (the paper's figure)."""
POOL_SHARE = 4
MAX_RUNNING = 8
TWINS = 32


@dataclass(frozen=True, slots=True)
class Served:
    """How one order did: cached by prompt tokens, and how long the last one waited, in simulated seconds."""

    hit_rate: float
    longest_wait: float


def serve(asked: Workload, order: list[int], policy: str, seed: int) -> Served:
    """Put all requests into the queue in this order, serve them, and measure."""
    replies = {str(number): asked.requests[number].reply for number in order}
    runner = SimulatedRunner(lambda sequence_id, number: replies[sequence_id][number])
    latency = LatencyFold(runner.now)
    engine = Engine(
        RadixCache(),
        PagePool(asked.distinct_tokens() // POOL_SHARE),
        runner,
        turn_as_one_edge=False,
        batching=Batching(MAX_RUNNING, twin_tokens=TWINS),
        schedule=schedule_policy(policy, random=Random(seed)),
        emit=latency.note,
    )
    for number in order:
        engine.submit(Request(str(number), asked.requests[number].prompt, len(replies[str(number)])))
    engine.run()
    sequences = engine.sequences.values()
    cached = sum(sequence.cached_tokens for sequence in sequences)
    return Served(cached / sum(sequence.prompt_len for sequence in sequences), latency.latency.queue_wait.max)


def rows(name: str) -> list[str]:
    """Return a line of the table for each order of one workload."""
    served: dict[str, list[Served]] = {"depth first": [], **{policy: [] for policy in POLICIES}}
    for seed in SEEDS:
        asked = workload(name, seed)
        served["depth first"].append(serve(asked, asked.depth_first(), "fcfs", seed))
        arrivals = asked.arrivals(Random(seed))
        for policy in POLICIES:
            served[policy].append(serve(asked, arrivals, policy, seed))
    best = served["depth first"]
    return [_row(name, order, results, best) for order, results in served.items()]


def _row(name: str, order: str, results: list[Served], best: list[Served]) -> str:
    hit_rate = mean(result.hit_rate for result in results)
    ratio = min(result.hit_rate / first.hit_rate for result, first in zip(results, best, strict=True))
    longest = max(result.longest_wait for result in results)
    note = "" if order != "lpm" else f" (goal {GOAL:.0%}{'' if ratio >= GOAL else ', missed'})"
    return f"| {name} | {order} | {hit_rate:.1%} | {ratio:.1%}{note} | {longest:.1f} s |"


def main() -> None:
    """Print the table."""
    print("| workload | order | hit rate, mean | of depth first, lowest | longest wait |")
    print("|---|---|---|---|---|")
    for name in KINDS:
        print("\n".join(rows(name)), flush=True)


if __name__ == "__main__":
    main()
