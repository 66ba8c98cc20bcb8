"""A transformers cache whose K and V lie in the pool's pages."""
# mypy: disallow-untyped-calls=False
# transformers leaves the constructors of its caches without annotations.

from __future__ import annotations

import torch
from transformers.cache_utils import Cache, CacheLayerMixin

from radixviz.model.kv_tensors import KVTensors


class PagedLayer(CacheLayerMixin):
    """One layer of one forward: new K and V go into their slots, attention reads all slots of the rows.

    It keeps every token, in layers with a sliding window too: what lies outside the window is hidden by the mask that
    transformers builds from `get_mask_sizes`.
    """

    is_croppable = False

    def __init__(self, tensors: KVTensors, layer: int, slots: torch.Tensor, new_slots: torch.Tensor) -> None:
        super().__init__()
        self._tensors = tensors
        self._layer = layer
        self._slots = slots
        self._new_slots = new_slots.reshape(-1)
        self._cached = slots.shape[1] - new_slots.shape[1]
        self.is_initialized = True

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Do nothing: the pool is there already."""

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *args: object, **kwargs: object
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Store the new K and V [rows, kv_heads, new, head_dim], return all of them [rows, kv_heads, all, head_dim]."""
        self._tensors.write(self._layer, self._new_slots, _by_token(key_states), _by_token(value_states))
        if self._cached == 0:  # nothing to gather: without reuse the pool costs one write
            return key_states, value_states
        keys, values = self._tensors.read(self._layer, self._slots)
        return keys.transpose(1, 2).to(key_states.dtype), values.transpose(1, 2).to(value_states.dtype)

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Return how many keys each row has, and that the first has index 0."""
        return self._cached + query_length, 0

    def get_seq_length(self) -> int:
        """Return the keys of each row that were there before this forward, padding included."""
        return self._cached

    def get_max_length(self) -> int:
        """Return -1: no limit of its own."""
        return -1

    get_max_cache_shape = get_max_length
    """The name it had before transformers 5.24."""


class PagedCache(Cache):
    """The cache of one forward over the pool.

        slots       [rows, all]   the slots of each row's tokens, oldest first; shorter rows begin with slot 0
        new_slots   [rows, new]   the last of them, which this forward fills

    It lives for one forward only: the slots are the state, and the engine has them.
    """

    def __init__(self, tensors: KVTensors, slots: torch.Tensor, new_slots: torch.Tensor) -> None:
        layers = range(tensors.shape.layers)
        super().__init__(layers=[PagedLayer(tensors, layer, slots, new_slots) for layer in layers])


def _by_token(states: torch.Tensor) -> torch.Tensor:
    """[rows, kv_heads, new, head_dim] to [rows * new, kv_heads, head_dim]."""
    return states.transpose(1, 2).flatten(0, 1)
