"""The engine, the radix tree and the pool over a real model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

import pytest

from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.batching import Batching
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request
from radixviz.events import Event, NodeEvicted, PrefillPaused, SequenceRetracted
from radixviz.model.causal_lm import CausalLM
from radixviz.model.folder import TINY
from radixviz.model.loader import LoadedModel
from tests.conformance.rows import shows
from tests.model.conftest import MakeRunner
from tests.model.random_models import FAMILIES, generate, random_tokens

NEW_TOKENS = 8
SHARED = 20


class Asked(NamedTuple):
    """A model, some prompts, and what transformers' own greedy generation answers."""

    model: CausalLM
    prompts: Mapping[str, tuple[int, ...]]
    replies: Mapping[str, tuple[int, ...]]


@pytest.mark.parametrize(("page_size", "cached"), [(1, 20), (4, 20), (16, 16)])
def test_requests_with_a_shared_prefix_are_answered_as_by_generate(
    page_size: int, cached: int, llama: CausalLM, make_runner: MakeRunner
) -> None:
    """The second request reuses the first one's K and V, two samples share a prompt, and no reply changes."""
    runner = make_runner(llama, page_size, 160 // page_size)
    engine = Engine(RadixCache(page_size), PagePool(160 // page_size, page_size), runner)
    shared = random_tokens(20, 1)
    prompts = {"first": shared + random_tokens(7, 2), "second": shared + random_tokens(10, 3)}
    for name, prompt in prompts.items():
        engine.submit(Request(name, prompt, NEW_TOKENS))
        engine.run()
        engine.check_integrity()
    engine.submit(Request("samples", prompts["first"], NEW_TOKENS, samples=2))
    engine.run()
    engine.check_integrity()
    assert engine.sequences["second"].cached_tokens == cached
    assert {name: engine.sequences[name].output_ids for name in ("first", "second", "samples#1", "samples#2")} == {
        "first": generate(llama, prompts["first"], NEW_TOKENS),
        "second": generate(llama, prompts["second"], NEW_TOKENS),
        "samples#1": generate(llama, prompts["first"], NEW_TOKENS),
        "samples#2": generate(llama, prompts["first"], NEW_TOKENS),
    }


@pytest.mark.parametrize("page_size", [1, 4])
@pytest.mark.parametrize("batching", [Batching(prefill_chunk=6), Batching(tokens_per_step=7, twin_tokens=4)])
def test_prompts_in_chunks_change_no_reply(
    batching: Batching, page_size: int, llama: CausalLM, make_runner: MakeRunner
) -> None:
    """Whatever a step may compute, and whoever waits for a twin, the replies are those of generate."""
    pool = PagePool(160 // page_size, page_size)
    runner = make_runner(llama, page_size, pool.num_pages)
    engine = Engine(RadixCache(page_size), pool, runner, batching=batching)
    prompts = {f"r{seed}": random_tokens(13, 99) + random_tokens(5 + 6 * seed, seed) for seed in range(3)}
    for name, prompt in prompts.items():
        engine.submit(Request(name, prompt, NEW_TOKENS, samples=2))
    engine.run()
    engine.check_integrity()
    replies = {(name, n): engine.sequences[f"{name}#{n}"].output_ids for name in prompts for n in (1, 2)}
    expected = {name: generate(llama, prompt, NEW_TOKENS) for name, prompt in prompts.items()}
    assert replies == {(name, n): reply for name, reply in expected.items() for n in (1, 2)}


@shows("A6 cache_on_and_off")
@pytest.mark.parametrize("page_size", [1, 4])
def test_without_a_cache_the_replies_are_the_same(page_size: int, llama: CausalLM, make_runner: MakeRunner) -> None:
    """What is reused never changes a reply: greedy outputs with the cache on and off are equal."""
    replies, reused = [], []
    for disabled in (False, True):
        runner = make_runner(llama, page_size, 160 // page_size)
        cache = RadixCache(page_size, disabled=disabled)
        engine = Engine(cache, PagePool(160 // page_size, page_size), runner, turn_as_one_edge=False)
        for seed in range(3):
            engine.submit(Request(f"r{seed}", random_tokens(16, 9) + random_tokens(3 + seed, seed), NEW_TOKENS))
            engine.run()
        replies.append([sequence.output_ids for sequence in engine.sequences.values()])
        reused.append([sequence.cached_tokens for sequence in engine.sequences.values()])
    assert replies[0] == replies[1]
    assert reused == [[0, 16, 16], [0, 0, 0]]


def test_a_pool_too_small_for_all_changes_no_reply(llama: CausalLM, make_runner: MakeRunner) -> None:
    """Requests that run together, are evicted, sent back and computed again are answered as by generate."""
    pages, page_size = 20, 4
    events: list[Event] = []
    runner = make_runner(llama, page_size, pages)
    engine = Engine(RadixCache(page_size, emit=events.append), PagePool(pages, page_size), runner, emit=events.append)
    prompts = {f"r{seed}": random_tokens(6, 99) + random_tokens(5 + 6 * seed, seed) for seed in range(5)}
    for name, prompt in prompts.items():
        engine.submit(Request(name, prompt, 3 * NEW_TOKENS))
    engine.run()
    engine.check_integrity()
    assert {NodeEvicted, SequenceRetracted} <= {type(event) for event in events}
    replies = {name: engine.sequences[name].output_ids for name in prompts}
    assert replies == {name: generate(llama, prompt, 3 * NEW_TOKENS) for name, prompt in prompts.items()}


@pytest.fixture(scope="module")
def asked(model_of: Callable[[str], CausalLM], tiny: LoadedModel) -> Callable[[str], Asked]:
    """Return a function that gives a family's model, or the shipped one, with what generate answers."""

    @cache
    def ask(family: str) -> Asked:
        model = tiny.model if family == TINY else model_of(family)
        prompts = {f"r{seed}": random_tokens(SHARED, 99) + random_tokens(5 + 5 * seed, seed) for seed in range(4)}
        replies = {name: generate(model, prompt, 2 * NEW_TOKENS, endless=True) for name, prompt in prompts.items()}
        return Asked(model, prompts, replies)

    return ask


@pytest.mark.parametrize("page_size", [1, 4, 16])
@pytest.mark.parametrize("family", [*FAMILIES, TINY])
def test_no_model_minds_what_an_engine_does_to_it(
    family: str, page_size: int, asked: Callable[[str], Asked], make_runner: MakeRunner
) -> None:
    """Shared prefixes, unequal lengths, samples, chunks, evictions, retractions: replies are those of generate."""
    model, prompts, replies = asked(family)
    pages = 96 // page_size
    events: list[Event] = []
    tree, pool = RadixCache(page_size, emit=events.append), PagePool(pages, page_size)
    runner = make_runner(model, page_size, pages)
    engine = Engine(tree, pool, runner, batching=Batching(prefill_chunk=6), emit=events.append)
    engine.submit(Request("r0", prompts["r0"], 2 * NEW_TOKENS, samples=2))
    for _ in range(6):  # five chunks, and a first step of decoding
        engine.step()
    for name in ("r1", "r2", "r3"):
        engine.submit(Request(name, prompts[name], 2 * NEW_TOKENS))
    engine.run()
    engine.check_integrity()
    assert {NodeEvicted, SequenceRetracted, PrefillPaused} <= {type(event) for event in events}
    reused = SHARED // page_size * page_size
    assert [sequence.cached_tokens for sequence in engine.sequences.values()] == [0, 0, reused, reused, reused]
    found = {name: engine.sequences[f"{name}#1" if name == "r0" else name].output_ids for name in prompts}
    assert found == replies
    assert engine.sequences["r0#2"].output_ids == replies["r0"]
