"""A random tree of requests in a pool that is far too short, for each way of batching."""

from __future__ import annotations

from random import Random

import pytest

from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.batching import Batching
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request
from radixviz.engine.runner import SimulatedRunner
from radixviz.engine.schedule import schedule_policy
from radixviz.events import Event, SequenceRetracted

PRESSED = [Batching(prefill_chunk=16), Batching(max_running=16, tokens_per_step=24), Batching(twin_tokens=4)]


def tree_of_requests(random: Random) -> list[Request]:
    """Return 50 requests; each prompt is an earlier one and up to 32 copies of a random token."""
    prompts: list[tuple[int, ...]] = [(37,) * 14]
    while len(prompts) < 50:
        prompts.append(random.choice(prompts) + (random.randrange(100),) * random.randint(0, 32))
    return [Request(str(number), prompt, random.randint(1, 32)) for number, prompt in enumerate(prompts)]


@pytest.mark.parametrize("page_size", [1, 4])
@pytest.mark.parametrize(("batching", "policy"), list(zip(PRESSED, ["fcfs", "lpm", "dfs-weight"], strict=True)))
def test_a_random_tree_leaks_nothing(page_size: int, batching: Batching, policy: str) -> None:
    """With retractions forced by a short pool every reply is whole, and every page is free or in the tree."""
    events, pool = list[Event](), PagePool(320 // page_size, page_size)
    engine = Engine(
        cache := RadixCache(page_size),
        pool,
        SimulatedRunner(lambda sequence_id, number: int(sequence_id) % 7),
        batching=batching,
        schedule=schedule_policy(policy),
        emit=events.append,
        turn_as_one_edge=False,
    )
    for request in tree_of_requests(Random(0)):
        engine.submit(request)
    steps = 0
    while engine.has_work:
        engine.step()
        steps += 1
        if steps % 64 == 0:
            engine.check_integrity()
    engine.check_integrity()
    assert all(len(each.output_ids) == each.request.max_new_tokens for each in engine.sequences.values())
    assert pool.free_pages * page_size + cache.evictable_size == 320
    assert any(isinstance(event, SequenceRetracted) for event in events)
