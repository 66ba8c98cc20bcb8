"""A6: what SGLang's tests of whole servers say, on our engine; no row needs a model but the one in tests/model."""

from __future__ import annotations

from random import Random

import pytest

from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.batching import Batching
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request, Sequence
from radixviz.engine.runner import SimulatedRunner
from radixviz.engine.schedule import schedule_policy
from radixviz.events import Event, SequenceRetracted
from tests.conformance.rows import shows
from tests.engine.serving import Serving


def served(
    pool_pages: int, page_size: int, *, schedule: str = "fcfs", batching: Batching | None = None
) -> tuple[Engine, PagePool, list[Event]]:
    """Return an engine as SGLang is set up, its pool, and the list that its events go to."""
    events, pool = list[Event](), PagePool(pool_pages, page_size)
    runner = SimulatedRunner(drawn)
    cache = RadixCache(page_size, emit=events.append)
    order = schedule_policy(schedule)
    engine = Engine(cache, pool, runner, turn_as_one_edge=False, schedule=order, batching=batching, emit=events.append)
    return engine, pool, events


def drawn(name: str, number: int) -> int:
    """Return a token that looks drawn, the same at each run."""
    return 1000 + (sum(name.encode()) * 31 + number * 17) % 30_000


def idle_pool_is_whole(engine: Engine, pool: PagePool) -> bool:
    """Return whether every page is free or in the tree, and nothing is held."""
    tree = engine.tree()
    free = pool.free_pages * pool.page_size
    return tree.protected_size == 0 and free + tree.evictable_size == pool.num_pages * pool.page_size


@shows("A6 multi_turn")
@pytest.mark.parametrize("page_size", [pytest.param(1, marks=pytest.mark.deep), 16])
def test_multi_turn(page_size: int) -> None:
    """Eight clients with six rounds of 289 new tokens and 367 of reply: each round reuses all of the round before."""
    engine, pool, _ = served(40_000 // page_size, page_size)
    random = Random(0)
    history: dict[int, tuple[int, ...]] = dict.fromkeys(range(8), ())
    least = dict.fromkeys(history, 0)
    for turn in range(6):
        prompts = {n: (*past, *(random.randrange(32_000) for _ in range(289))) for n, past in history.items()}
        for n, prompt in prompts.items():
            engine.submit(Request(f"{n} in round {turn}", prompt, 367))
        engine.run()
        for n, prompt in prompts.items():
            sequence = engine.sequences[f"{n} in round {turn}"]
            assert sequence.cached_tokens == least[n]
            least[n] = (len(prompt) + 367 - 1) // page_size * page_size
            history[n] = tuple(sequence.token_ids)
    engine.check_integrity()
    assert idle_pool_is_whole(engine, pool)


def random_tree(random: Random) -> list[Request]:
    """Return 400 requests; each prompt is an earlier one and up to 256 copies of a random token."""
    prompts: list[tuple[int, ...]] = [(37,) * 117]
    requests = [Request("0", prompts[0], 217)]
    for number in range(1, 400):
        prompt = random.choice(prompts) + (random.randrange(32_000),) * random.randint(0, 256)
        prompts.append(prompt)
        requests.append(Request(str(number), prompt, max(1, random.randint(0, 256))))
    return requests


@pytest.mark.deep
@shows("A6 random_tree")
@pytest.mark.parametrize("schedule", ["fcfs", "lpm"])
def test_random_tree(schedule: str) -> None:
    """With chunked prefill, too small a pool and requests sent back, everybody is served and no page is lost."""
    engine, pool, events = served(20_000, 1, schedule=schedule, batching=Batching(prefill_chunk=128, max_running=256))
    requests = random_tree(Random(0))
    for request in requests:
        engine.submit(request)
    engine.run()
    engine.check_integrity()
    assert all(len(sequence.output_ids) == sequence.request.max_new_tokens for sequence in engine.sequences.values())
    assert any(isinstance(event, SequenceRetracted) for event in events)
    assert idle_pool_is_whole(engine, pool)


@shows("A6 generated_tokens")
@pytest.mark.parametrize(("prompt", "output", "cached"), [(100, 50, 149), (40, 10, 49)])
def test_generated_tokens_are_reused(prompt: int, output: int, cached: int) -> None:
    """The next turn reuses the reply too, all but its last token, which was never fed back."""
    serving = Serving(512, turn_as_one_edge=False)
    first = serving.run("first", range(prompt), output)
    second: Sequence = serving.run("second", (*first.token_ids, *range(200, 250)), 1)
    assert second.cached_tokens == cached
