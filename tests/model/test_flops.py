"""Counting what a forward costs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from radixviz.model.causal_lm import CausalLM
from radixviz.model.flops import ForwardFlops, forward_flops
from radixviz.model.kv_shape import probe_kv_shape
from tests.model.random_models import WINDOW

SMOLLM2 = ForwardFlops(
    per_token=2 * 30 * (2 * 576 * 576 + 2 * 576 * 192 + 3 * 576 * 1536),
    head=2 * 576 * 49152,
    per_key=4 * 9 * 64,
    layer_windows=(None,) * 30,
)


def test_a_whole_prompt_is_every_query_against_every_key_before_it() -> None:
    """Three tokens see 1, 2 and 3 keys; the head is run once."""
    assert ForwardFlops(10, 100, 1000, (None, None)).of(0, 3) == 3 * 10 + 100 + 2 * 6 * 1000


def test_a_suffix_still_attends_to_the_prefix() -> None:
    """The last two of five tokens see 4 and 5 keys: the prefix's forward is saved, not the attention to it."""
    assert ForwardFlops(10, 100, 1000, (None,)).of(3, 5) == 2 * 10 + 100 + 9 * 1000


@pytest.mark.parametrize(("cached", "total", "keys"), [(0, 5, 1 + 2 + 2 + 2 + 2), (1, 3, 4), (4, 6, 4), (0, 2, 3)])
def test_a_window_limits_what_is_seen(cached: int, total: int, keys: int) -> None:
    """With a window of 2 no query sees more than two keys."""
    assert ForwardFlops(0, 0, 1, (2,)).of(cached, total) == keys


@pytest.mark.parametrize(("cached", "bound"), [(0, 1), (500, 0.535), (900, 0.113), (990, 0.0116)])
def test_the_bound_of_smollm2_is_the_documented_one(cached: int, bound: float) -> None:
    """The formula of docs/proof.md on 1,000 tokens."""
    assert SMOLLM2.bound(cached, 1000) == pytest.approx(bound, rel=0.005)


def test_the_counts_of_a_model_come_from_its_matrices(llama: CausalLM) -> None:
    """q, k, v, o and three of the feed-forward in each of two layers; the head is counted apart."""
    flops = forward_flops(llama, probe_kv_shape(llama))
    layer = 32 * 32 + 2 * 32 * 16 + 32 * 32 + 3 * 32 * 64
    assert flops == ForwardFlops(2 * 2 * layer, 2 * 32 * 256, 4 * 4 * 8, (None, None))


@pytest.mark.parametrize(
    ("family", "windows"), [("mistral", (WINDOW, WINDOW)), ("gemma2", (WINDOW, None)), ("gpt2", (None, None))]
)
def test_windows_are_known_by_layer(
    family: str, windows: tuple[int | None, ...], model_of: Callable[[str], CausalLM]
) -> None:
    """Every layer, every other one, none; GPT-2's matrices are of another class and count too."""
    model = model_of(family)
    flops = forward_flops(model, probe_kv_shape(model))
    assert flops.layer_windows == windows
    assert flops.per_token > 0
