"""A transformers cache whose K and V lie in the pool's pages."""
# mypy: disallow-untyped-calls=False
# transformers leaves the constructors of its caches without annotations.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from transformers.cache_utils import Cache, CacheLayerMixin

from radixviz.model.kv_tensors import KVTensors, SlotChoice


@dataclass(frozen=True, slots=True)
class Places:
    """Where one forward finds its tokens: all slots, those that it fills, and how many come before these in a row."""

    all: SlotChoice
    new: SlotChoice
    cached: int


class PagedLayer(CacheLayerMixin):
    """One layer of one forward: new K and V go into their slots, attention reads all slots of the rows.

    It keeps every token, in layers with a sliding window too: what lies outside the window is hidden by the mask that
    transformers builds from `get_mask_sizes`.
    """

    is_croppable = False

    def __init__(self, tensors: KVTensors, layer: int, places: Places) -> None:
        super().__init__()
        self._tensors = tensors
        self._layer = layer
        self._places = places
        self.is_initialized = True

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Do nothing: the pool is there already."""

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: object, **kwargs: object
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Store the new K and V [rows, kv_heads, new, head_dim], return all of them [rows, kv_heads, all, head_dim]."""
        self._tensors.write(self._layer, self._places.new, _by_token(key_states), _by_token(value_states))
        if self._places.cached == 0:  # nothing to gather: without reuse the pool costs one write
            return key_states, value_states
        keys, values = self._tensors.read(self._layer, self._places.all)
        return keys.transpose(1, 2).to(key_states.dtype), values.transpose(1, 2).to(value_states.dtype)

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Return how many keys each row has, and that the first has index 0."""
        return self._places.cached + query_length, 0

    def get_seq_length(self) -> int:
        """Return the keys of each row that were there before this forward, padding included."""
        return self._places.cached

    def get_max_length(self) -> int:
        """Return -1: no limit of its own."""
        return -1

    get_max_cache_shape = get_max_length
    """The name it had before transformers 5.24."""


class PagedCache(Cache):
    """The cache of one forward over the pool.

        rows    for each row the slots of its tokens, oldest first; shorter rows begin with slot 0
        new     how many of them, the last ones of each row, this forward fills

    It lives for one forward only: the slots are the state, and the engine has them.
    """

    def __init__(self, tensors: KVTensors, rows: Sequence[Sequence[int]], new: int) -> None:
        cached = len(rows[0]) - new
        places = Places(tensors.choose(rows), tensors.choose([row[cached:] for row in rows]), cached)
        super().__init__(layers=[PagedLayer(tensors, layer, places) for layer in range(tensors.shape.layers)])


def _by_token(states: torch.Tensor) -> torch.Tensor:
    """[rows, kv_heads, new, head_dim] to [rows * new, kv_heads, head_dim]."""
    return states.transpose(1, 2).flatten(0, 1)
