"""Counts the floating-point operations of a forward: what reuse saves, and the bound on how fast it can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from transformers.pytorch_utils import Conv1D

from radixviz.model.causal_lm import CausalLM
from radixviz.model.kv_shape import KVShape


@dataclass(frozen=True, slots=True)
class ForwardFlops:
    """The operations of one model, a multiply-add counted as two.

        per_token       every matrix that a token goes through, but for the head: 2 x its weights
        head            the head, for the one position whose logits are wanted
        per_key         in one layer: a query against one key, and its value added: 4 x heads x head_dim
        layer_windows   how many keys a layer looks back at, None where it sees all

    Norms, rotations and activations are left out: they are small. Of a mixture of experts only what are plain matrices
    is counted.
    """

    per_token: int
    head: int
    per_key: int
    layer_windows: tuple[int | None, ...]

    def of(self, cached: int, total: int) -> int:
        """Return the operations for the tokens [cached, total), whose logits are wanted at the last one only."""
        keys = sum(_keys_seen(cached, total, window) for window in self.layer_windows)
        return self.per_token * (total - cached) + self.head + self.per_key * keys

    def bound(self, cached: int, total: int) -> float:
        """Return the part of a full prefill's operations that is left when `cached` tokens are reused."""
        return self.of(cached, total) / self.of(0, total)


def forward_flops(model: CausalLM, shape: KVShape) -> ForwardFlops:
    """Return the counts of this model."""
    module: Any = model.module
    head = module.get_output_embeddings()
    matrices = [part for part in model.module.modules() if isinstance(part, torch.nn.Linear | Conv1D)]
    heads = int(model.config.num_attention_heads)
    return ForwardFlops(
        per_token=2 * sum(part.weight.numel() for part in matrices if part is not head),
        head=2 * head.get_parameter("weight").numel() if head is not None else 0,
        per_key=4 * heads * shape.head_dim,
        layer_windows=model.layer_windows(shape.layers),
    )


def _keys_seen(cached: int, total: int, window: int | None) -> int:
    """Return how many keys the queries at [cached, total) see together: each those up to its own, or its window."""
    inside = total if window is None else min(max(window, cached), total)
    return _triangle(inside) - _triangle(cached) + (total - inside) * (window or 0)


def _triangle(count: int) -> int:
    return count * (count + 1) // 2
