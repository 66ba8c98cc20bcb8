"""Faults that others met between a text and its logits, as inputs with their right values.

A18 and A21 (templates, control tokens) are in tests/model/test_chat_template.py.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request
from radixviz.model.causal_lm import CausalLM
from radixviz.model.folder import TINY, locate
from radixviz.model.tokenizer import TextTokenizer
from tests.model.conftest import MakeRunner
from tests.model.paged_run import CLOSE, Recorded, difference
from tests.model.random_models import FAMILIES, generate, random_tokens

NEW_TOKENS = 8


@pytest.fixture(scope="module")
def tiny_tokenizer() -> TextTokenizer:
    """Return the shipped tokenizer."""
    return TextTokenizer.from_folder(locate(TINY))


def test_the_same_text_with_other_ids_is_not_shared() -> None:
    """A20 (a): a word that was generated as two other tokens is another key; texts are never compared."""
    cache = RadixCache()
    cache.insert(RadixKey([1, 2, 3, 74225, 8510]))
    assert cache.match_prefix(RadixKey([1, 2, 3, 39, 72918])).prefix_len == 3


@pytest.mark.parametrize(
    ("shorter", "longer"), [("Answer 3: This is ", "Answer 3: This is Paris"), ("You ", "You are")]
)
def test_a_prefix_of_a_text_is_not_a_prefix_of_its_ids(
    shorter: str, longer: str, tiny_tokenizer: TextTokenizer
) -> None:
    """A20 (b): what is shared is counted in the ids that the tokenizer gives, not in the shorter text's tokens."""
    left, right = tiny_tokenizer.encode(shorter), tiny_tokenizer.encode(longer)
    shared = next((n for n, (one, two) in enumerate(zip(left, right, strict=False)) if one != two), len(left))
    cache = RadixCache()
    cache.insert(RadixKey(left))
    assert cache.match_prefix(RadixKey(right)).prefix_len == shared < len(left)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_shorter_prompt_beside_a_longer_one_has_its_own_positions(
    family: str, model_of: Callable[[str], CausalLM], make_runner: MakeRunner
) -> None:
    """A23 (a): prompts of 3 and 9 tokens, decoded in one batch, are answered as each alone."""
    model = model_of(family)
    prompts = {"short": random_tokens(3, 1), "long": random_tokens(9, 2)}
    engine = Engine(RadixCache(), PagePool(64), make_runner(model, 1, 64))
    for name, prompt in prompts.items():
        engine.submit(Request(name, prompt, NEW_TOKENS))
    engine.run()
    replies = {name: engine.sequences[name].output_ids for name in prompts}
    assert replies == {name: generate(model, prompt, NEW_TOKENS) for name, prompt in prompts.items()}


@pytest.mark.parametrize("page_size", [1, 4])
def test_a_warm_run_has_the_logits_of_a_cold_one(page_size: int, llama: CausalLM, make_runner: MakeRunner) -> None:
    """A23 (b): the same greedy ids; logits are equal to a tolerance, and the first new position is what was cached."""
    prompt, logits = random_tokens(21, 5), Recorded()
    runner = make_runner(llama, page_size, on_logits=logits)
    engine = Engine(RadixCache(page_size), PagePool(128 // page_size, page_size), runner)
    for name in ("cold", "warm"):
        engine.submit(Request(name, prompt, NEW_TOKENS))
        engine.run()
    assert engine.sequences["warm"].cached_tokens == 20
    assert engine.sequences["warm"].output_ids == engine.sequences["cold"].output_ids
    assert difference(logits["warm"], logits["cold"]) < CLOSE


@pytest.mark.parametrize(("left", "right"), [("😀", "😁"), ("日本語", "日本人"), ("é", "è")])
def test_an_edge_may_end_inside_a_character(left: str, right: str, tiny_tokenizer: TextTokenizer) -> None:
    """A24: pieces are kept as bytes; from the root to a leaf they are exactly the prompt again."""
    cache = RadixCache()
    for text in (left, right):
        cache.insert(RadixKey(tiny_tokenizer.encode(text)))
    nodes = {node.node_id: node for node in cache.snapshot().nodes}
    leaves = [node for node in nodes.values() if node.node_id not in {each.parent_id for each in nodes.values()}]
    found = set()
    for leaf in leaves:
        tokens: tuple[int, ...] = ()
        at: int | None = leaf.node_id
        while at in nodes:
            tokens = tuple(nodes[at].token_ids) + tokens
            at = nodes[at].parent_id
        found.add(b"".join(map(tiny_tokenizer.token_bytes, tokens)).decode())
    assert found == {left, right}
    assert len(nodes) > 1 + (left[0] == right[0])


def test_eight_threads_with_their_own_engines_share_one_model(llama: CausalLM, make_runner: MakeRunner) -> None:
    """Each has its own tree, pool and runner; together they answer exactly as one after the other."""
    shared = random_tokens(12, 77)
    prompts = {n: [shared + random_tokens(4 + n, 10 * n + turn) for turn in range(3)] for n in range(8)}

    def serve(number: int, replies: dict[int, list[tuple[int, ...]]]) -> None:
        engine = Engine(RadixCache(4), PagePool(24, 4), make_runner(llama, 4, 24))
        for turn, prompt in enumerate(prompts[number]):
            engine.submit(Request(f"r{turn}", prompt, NEW_TOKENS))
            engine.run()
            engine.check_integrity()
        replies[number] = [engine.sequences[f"r{turn}"].output_ids for turn in range(3)]

    serial: dict[int, list[tuple[int, ...]]] = {}
    together: dict[int, list[tuple[int, ...]]] = {}
    for number in prompts:
        serve(number, serial)
    threads = [Thread(target=serve, args=(number, together)) for number in prompts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == serial
    assert serial[3][0] == generate(llama, prompts[3][0], NEW_TOKENS)
