"""The shipped model over pages."""

from __future__ import annotations

import pytest
import torch

from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request
from radixviz.model.folder import TINY, locate
from radixviz.model.loader import LoadedModel, build_runner, load
from radixviz.model.tokenizer import TextTokenizer
from tests.model.paged_run import CLOSE, Recorded, difference, run_greedy
from tests.model.random_models import generate, scattered_slots

FIRST = "You are a helpful assistant.\nUser: Hello!\nAssistant:"
SECOND = "You are a helpful assistant.\nUser: What can you do?\nAssistant:"


@pytest.fixture(scope="module")
def tiny() -> LoadedModel:
    """Return the shipped model, loaded while torch is set to two threads."""
    torch.set_num_threads(2)
    return load("tiny")


def test_it_loads_as_float32_on_one_thread(tiny: LoadedModel) -> None:
    """Its weights are shipped in half precision; it computes in float32, and one thread is its fastest."""
    assert (tiny.name, tiny.dtype, tiny.max_positions >= 1000) == ("tiny", "float32", True)
    assert torch.get_num_threads() == 1
    assert tiny.report.max_abs_diff < CLOSE


def test_its_tokenizer_comes_first_and_fits(tiny: LoadedModel) -> None:
    """The tokens that are shown before the model is there are the model's own."""
    alone = TextTokenizer.from_folder(locate(TINY))
    assert alone.vocabulary_size == tiny.model.vocabulary_size
    assert alone.stop_token_ids == tiny.tokenizer.stop_token_ids
    assert [alone.token_bytes(stop) for stop in alone.stop_token_ids] == [b"<|endoftext|>", b"\n"]
    assert alone.decode(alone.encode(FIRST)) == FIRST


def test_text_that_spells_its_stop_token_stays_text(tiny: LoadedModel) -> None:
    """A user cannot end the turn by typing its control token."""
    token_ids = tiny.tokenizer.encode("<|endoftext|>")
    assert tiny.tokenizer.stop_token_ids[0] not in token_ids
    assert tiny.tokenizer.decode(token_ids) == "<|endoftext|>"


@pytest.mark.parametrize("page_size", [1, 4, 16])
def test_reuse_changes_neither_logits_nor_replies(page_size: int, tiny: LoadedModel) -> None:
    """A prompt whose beginning is in scattered pages is answered as without them."""
    logits = Recorded()
    runner = build_runner(tiny, 192 // page_size, page_size, on_logits=logits)
    prompt = tiny.tokenizer.encode(FIRST + SECOND)
    cached = (len(prompt) - 1) // page_size * page_size
    assert cached >= 16
    slots = scattered_slots(runner.tensors)
    run_greedy(runner, prompt[:cached], 0, slots, 1)
    reply = run_greedy(runner, prompt, cached, slots, 12)
    assert tuple(reply) == generate(tiny.model, prompt, 12)
    assert difference(logits["r"], tiny.model.recompute_logits((*prompt, *reply[:-1]))[-1]) < CLOSE


def test_the_engine_answers_two_users_as_generate_does(tiny: LoadedModel) -> None:
    """The second user reuses the system prompt, and both replies are those of transformers' own loop."""
    engine = Engine(RadixCache(), PagePool(300), build_runner(tiny, 300, 1))
    prompts = {"A1": tiny.tokenizer.encode(FIRST), "B1": tiny.tokenizer.encode(SECOND)}
    for name, prompt in prompts.items():
        engine.submit(Request(name, prompt, 120, tiny.tokenizer.stop_token_ids))
        engine.run()
        engine.check_integrity()
    assert engine.sequences["B1"].cached_tokens >= len(tiny.tokenizer.encode(FIRST.split(" Hello")[0])) - 1
    for name, prompt in prompts.items():
        reply = engine.sequences[name].output_ids
        assert reply == generate(tiny.model, prompt, 120)
        assert reply[-1] in tiny.tokenizer.stop_token_ids
