"""The shape of K and V, as the model itself tells it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
import torch
from transformers import DynamicCache, LlamaConfig, MambaConfig, MambaForCausalLM

from radixviz.errors import ModelRefused
from radixviz.model.causal_lm import CausalLM
from radixviz.model.kv_shape import KVShape, probe_kv_shape
from tests.model.random_models import FAMILIES, KV_SHAPE


class Stub:
    """Something that fills the cache with K and V of given sizes, a layer each."""

    def __init__(self, *sizes: tuple[int, int, int, int]) -> None:
        self.name = "stub"
        self.device = torch.device("cpu")
        self.config = LlamaConfig(num_hidden_layers=len(sizes))
        self._sizes = sizes

    def next_logits(self, token_ids: torch.Tensor, position_ids: torch.Tensor, cache: DynamicCache) -> None:
        """Store K and V (heads, dim of K, dim of V, tokens)."""
        for layer, (heads, key_dim, value_dim, tokens) in enumerate(self._sizes):
            cache.update(torch.zeros(1, heads, tokens, key_dim), torch.zeros(1, heads, tokens, value_dim), layer)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_probe_tells_layers_heads_and_sizes(family: str, model_of: Callable[[str], CausalLM]) -> None:
    """All families have the shape that their weights give them."""
    assert probe_kv_shape(model_of(family)) == KV_SHAPE


def test_what_the_config_says_beside_the_weights_does_not_count(
    llama: CausalLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stray field of the config changes nothing."""
    monkeypatch.setattr(llama.config, "num_key_value_heads", 77)
    assert probe_kv_shape(llama) == KV_SHAPE


@pytest.mark.parametrize(
    ("sizes", "detail"),
    [
        ([(2, 8, 8, 3), (2, 16, 16, 3)], "layers differ: [(2, 8), (2, 16)]"),
        ([(2, 8, 8, 3), (4, 8, 8, 3)], "layers differ: [(2, 8), (4, 8)]"),
        ([(2, 8, 4, 3)], "K (1, 2, 3, 8), V (1, 2, 3, 4)"),
        ([(2, 8, 8, 1)], "K (1, 2, 1, 8), V (1, 2, 1, 8)"),
    ],
)
def test_other_shapes_are_refused(sizes: list[tuple[int, int, int, int]], detail: str) -> None:
    """Layers that differ, K unlike V, and caches that keep less than every token cannot share one pool."""
    with pytest.raises(ModelRefused) as refused:
        probe_kv_shape(cast(CausalLM, Stub(*sizes)))
    assert refused.value.facts() == {"model": "stub", "reason": "kv_shape", "detail": detail}


def test_a_model_without_keys_and_values_is_refused() -> None:
    """A state space model has a state instead."""
    sizes: dict[str, Any] = {"vocab_size": 16, "hidden_size": 8, "state_size": 4, "num_hidden_layers": 1}
    with pytest.raises(ModelRefused) as refused:
        probe_kv_shape(CausalLM(MambaForCausalLM(MambaConfig(**sizes)).train(False), "mamba"))
    assert (refused.value.model, refused.value.reason) == ("mamba", "kv_shape")


def test_elements_per_token_counts_k_and_v_of_every_layer() -> None:
    """3 layers x 2 x 4 heads x 5 numbers."""
    assert KVShape(3, 4, 5).elements_per_token == 120


def test_the_stub_stands_for_a_model_that_fits() -> None:
    """Equal layers of the stub pass, so the refusals above are about their shapes."""
    assert probe_kv_shape(cast(CausalLM, Stub((2, 8, 8, 3), (2, 8, 8, 3)))) == KV_SHAPE
