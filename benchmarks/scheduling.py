"""Compares orders of the waiting queue: `python benchmarks/scheduling.py`. It prints a table and fails nobody.

100 requests wait at once, in shuffled order, for a pool that holds a quarter of their distinct tokens. "depth first" is
their order in the tree of all prompts, known beforehand: no order reuses more. The others see the queue only: lpm takes
the longest cached prefix first. At most 8 run at once, and a request waits for a twin's prefill (`TWINS`).

In the second table 300 requests come, and 100 of them wait at any time, in whose place a new one comes when one is
taken in: so cold ones can be overtaken for ever, and lpm with aging is beside lpm.

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
COMING_SEEDS = range(2)
COMING_POLICIES = ("lpm", "lpm-aging", "fcfs", "random")
COMING = 300
WAITING = 100
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
    """Put the requests into the queue in this order, 100 at most, serve them all, and measure."""
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
    coming = [Request(str(number), asked.requests[number].prompt, len(replies[str(number)])) for number in order][::-1]
    while coming or engine.has_work:
        while coming and len(engine.waiting) < WAITING:
            engine.submit(coming.pop())
        engine.step()
    sequences = engine.sequences.values()
    cached = sum(sequence.cached_tokens for sequence in sequences)
    return Served(cached / sum(sequence.prompt_len for sequence in sequences), latency.latency.queue_wait.max)


def all_at_once(name: str) -> list[str]:
    """Return a line of the first table for each order of one workload."""
    return _rows([workload(name, seed) for seed in SEEDS], POLICIES, goal=GOAL)


def one_by_one(name: str) -> list[str]:
    """Return a line of the second table for each order of one workload."""
    return _rows([workload(name, seed, COMING) for seed in COMING_SEEDS], COMING_POLICIES, goal=None)


def _rows(workloads: list[Workload], policies: tuple[str, ...], *, goal: float | None) -> list[str]:
    served: dict[str, list[Served]] = {"depth first": [], **{policy: [] for policy in policies}}
    for seed, asked in enumerate(workloads):
        served["depth first"].append(serve(asked, asked.depth_first(), "fcfs", seed))
        arrivals = asked.arrivals(Random(seed))
        for policy in policies:
            served[policy].append(serve(asked, arrivals, policy, seed))
    best, name = served["depth first"], workloads[0].name
    return [_row(name, order, results, best, goal if order == "lpm" else None) for order, results in served.items()]


def _row(name: str, order: str, results: list[Served], best: list[Served], goal: float | None) -> str:
    hit_rate = mean(result.hit_rate for result in results)
    ratio = min(result.hit_rate / first.hit_rate for result, first in zip(results, best, strict=True))
    longest = max(result.longest_wait for result in results)
    note = "" if goal is None else f" (goal {goal:.0%}{'' if ratio >= goal else ', missed'})"
    return f"| {name} | {order} | {hit_rate:.1%} | {ratio:.1%}{note} | {longest:.1f} s |"


def main() -> None:
    """Print both tables."""
    for title, rows in (("All wait at once", all_at_once), ("Requests keep coming", one_by_one)):
        print(f"{title}\n\n| workload | order | hit rate, mean | of depth first, lowest | longest wait |")
        print("|---|---|---|---|---|")
        for name in KINDS:
            print("\n".join(rows(name)), flush=True)
        print()


if __name__ == "__main__":
    main()
