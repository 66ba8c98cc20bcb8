"""What one token's K and V look like: asked of the model itself, not of its config."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from transformers.cache_utils import DynamicCache

from radixviz.errors import ModelRefused
from radixviz.model.causal_lm import CausalLM

PROBE_TOKENS = 3


@dataclass(frozen=True, slots=True)
class KVShape:
    """The sizes that all layers have in common."""

    layers: int
    kv_heads: int
    head_dim: int

    @property
    def elements_per_token(self) -> int:
        """Numbers that one token takes: K and V, in every layer."""
        return self.layers * 2 * self.kv_heads * self.head_dim


def probe_kv_shape(model: CausalLM) -> KVShape:
    """Run a short forward over a DynamicCache and return the shape of what it stored.

    Configs carry stray fields, and several families derive heads and sizes from others: only the tensors tell.

    Raises:
        ModelRefused: reason "kv_shape", if a layer keeps no plain K and V, or layers differ.
    """
    layers = _cached_layers(model)
    shapes = {_layer_shape(model.name, layer) for layer in layers}
    if len(shapes) != 1:
        raise ModelRefused(model.name, "kv_shape", f"layers differ: {sorted(shapes)}")
    kv_heads, head_dim = shapes.pop()
    return KVShape(len(layers), kv_heads, head_dim)


def _cached_layers(model: CausalLM) -> list[object]:
    cache = DynamicCache(config=model.config)
    token_ids = torch.arange(1, PROBE_TOKENS + 1, device=model.device)[None]
    try:
        model.next_logits(token_ids, token_ids - 1, cache)
    except (AttributeError, TypeError, ValueError, RuntimeError) as error:
        raise ModelRefused(model.name, "kv_shape", f"the probe failed: {error}") from error
    return list(cache.layers)


def _layer_shape(name: str, layer: object) -> tuple[int, int]:
    keys, values = getattr(layer, "keys", None), getattr(layer, "values", None)
    if not isinstance(keys, torch.Tensor) or not isinstance(values, torch.Tensor):
        raise ModelRefused(name, "kv_shape", f"{type(layer).__name__} keeps no K and V")
    if keys.ndim != 4 or keys.shape != values.shape or keys.shape[2] != PROBE_TOKENS:
        raise ModelRefused(name, "kv_shape", f"K {tuple(keys.shape)}, V {tuple(values.shape)}")
    return keys.shape[1], keys.shape[3]
