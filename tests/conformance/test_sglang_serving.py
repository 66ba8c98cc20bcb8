"""SGLang's tests of a whole server, on an engine without a model: several turns, and a random tree under pressure.

Lengths are an eighth of SGLang's, but for the long run. Not applicable: what compares logits, which needs a model.
"""

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


@pytest.mark.parametrize("page_size", [1, 4, 16])
def test_several_turns_of_several_clients(page_size: int) -> None:
    """Each turn reuses all that was said before it, less the last token: 0 at first, then whole pages of that."""
    clients, rounds, prompt, output = 8, 6, 36, 46
    pool = PagePool(clients * rounds * 96 // page_size, page_size)
    runner = SimulatedRunner(lambda sequence_id, number: number)
    engine = Engine(RadixCache(page_size), pool, runner, turn_as_one_edge=False)
    said = {client: tuple(range(client * 1000, client * 1000 + prompt)) for client in range(clients)}
    expected = dict.fromkeys(said, 0)
    for turn in range(rounds):
        for client, tokens in said.items():
            engine.submit(Request(f"{client} {turn}", tokens, output))
        engine.run()
        engine.check_integrity()
        for client, tokens in said.items():
            sequence = engine.sequences[f"{client} {turn}"]
            assert sequence.cached_tokens == expected[client]
            expected[client] = (len(tokens) + output - 1) // page_size * page_size
            said[client] = (*sequence.token_ids, *range(client * 1000 + 500, client * 1000 + 505))


def tree_of_requests(nodes: int, scale: int, random: Random) -> list[Request]:
    """Return requests whose prompts are a random tree: each is another's, with copies of one token behind it."""
    prompts = [(37,) * (117 // scale)]
    while len(prompts) < nodes:
        prompts.append(random.choice(prompts) + (random.randrange(100),) * random.randint(0, 256 // scale))
    return [Request(str(n), prompt, random.randint(1, 256 // scale)) for n, prompt in enumerate(prompts)]


def serve_random_tree(
    page_size: int, pool_tokens: int, batching: Batching, policy: str, *, nodes: int, scale: int, turn_as_one_edge: bool
) -> int:
    """Serve a tree of requests in a pool that is short; nothing may be lost. Return how many were sent back."""
    events, pool = list[Event](), PagePool(pool_tokens // page_size, page_size)
    engine = Engine(
        cache := RadixCache(page_size),
        pool,
        SimulatedRunner(lambda sequence_id, number: int(sequence_id) % 7),
        batching=batching,
        schedule=schedule_policy(policy),
        emit=events.append,
        turn_as_one_edge=turn_as_one_edge,
    )
    for request in tree_of_requests(nodes, scale, Random(nodes)):
        engine.submit(request)
    steps = 0
    while engine.has_work:
        engine.step()
        steps += 1
        if steps % 64 == 0:
            engine.check_integrity()
    engine.check_integrity()
    assert all(len(each.output_ids) == each.request.max_new_tokens for each in engine.sequences.values())
    assert pool.free_pages * page_size + cache.evictable_size == pool_tokens
    return sum(isinstance(event, SequenceRetracted) for event in events)


@pytest.mark.parametrize("policy", ["fcfs", "lpm"])
@pytest.mark.parametrize("page_size", [1, 4])
@pytest.mark.parametrize("batching", PRESSED, ids=["chunks", "budget", "twins"])
def test_a_random_tree_leaks_nothing(page_size: int, batching: Batching, policy: str) -> None:
    """With retractions forced by a short pool every reply is whole, and every page is free or in the tree."""
    retracted = serve_random_tree(page_size, 320, batching, policy, nodes=50, scale=8, turn_as_one_edge=False)
    assert retracted > 0


@pytest.mark.deep
@pytest.mark.parametrize("policy", ["fcfs", "lpm"])
@pytest.mark.parametrize("turn_as_one_edge", [True, False])
def test_a_random_tree_of_full_size_leaks_nothing(policy: str, turn_as_one_edge: bool) -> None:
    """400 requests, chunks of 128 tokens, a pool of 20,000: SGLang's own figures."""
    assert serve_random_tree(
        1, 20_000, Batching(prefill_chunk=128), policy, nodes=400, scale=1, turn_as_one_edge=turn_as_one_edge
    )
