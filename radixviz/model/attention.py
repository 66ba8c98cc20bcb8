"""What the suffix still does: its real attention weights over the reused prefix and itself, and what both cost."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from radixviz.engine.request import Draw
from radixviz.engine.runner import ExtendRow
from radixviz.errors import ModelRefused
from radixviz.model.causal_lm import CausalLM
from radixviz.model.flops import ForwardFlops, forward_flops
from radixviz.model.loader import LoadedModel, build_runner
from radixviz.model.torch_runner import TorchRunner

Weights = tuple[tuple[float, ...], ...]
"""[suffix tokens][all tokens]: what share of each value a row takes. Rows add up to 1; of later tokens it is 0."""


@dataclass(frozen=True, slots=True)
class MultiplyAdds:
    """Multiplications with an addition, in all layers together.

    `matrices`: each token through the projections and the feed-forward, and the last one through the head.
    `attention`: each token's query against every key up to its own, and their values added up.
    """

    matrices: int
    attention: int

    @property
    def total(self) -> int:
        """Both together."""
        return self.matrices + self.attention


@dataclass(frozen=True, slots=True)
class SuffixAttention:
    """The attention of the suffix: [layers][heads] of its weights, and the multiply-adds of both ways.

        token_ids   [0 .. cached) prefix, K and V read from the pool   [cached .. ) suffix, computed

    `full` is what a prefill of everything takes, `reuse` what is left of it.
    """

    token_ids: tuple[int, ...]
    cached: int
    weights: tuple[tuple[Weights, ...], ...]
    full: MultiplyAdds
    reuse: MultiplyAdds


def suffix_attention(loaded: LoadedModel, token_ids: Sequence[int], cached: int) -> SuffixAttention:
    """Prefill the first `cached` tokens into a pool, run the rest over it, and return what the rest looked at.

    Only eager attention says its weights, and how a model attends is set once: so a copy of it runs here.

    Raises:
        ModelRefused: reason "no_attention", if the model's layers do not say their weights.
    """
    tokens = tuple(token_ids)
    model = _eager_copy(loaded.model)
    pool = build_runner(loaded, len(tokens), 1).tensors
    runner, slots = TorchRunner(model, pool), tuple(range(1, len(tokens) + 1))
    if cached:
        runner.extend([ExtendRow("prefix", tokens[:cached], 0, slots[:cached], ())])
    with _weights_heard(model) as heard:
        runner.extend([ExtendRow("suffix", tokens[cached:], cached, slots, (Draw(),))])
    if len(heard) != loaded.shape.layers:
        raise ModelRefused(loaded.name, "no_attention", f"{len(heard)} / {loaded.shape.layers}")
    weights = tuple(tuple(_plain(head) for head in layer[0]) for layer in heard)
    flops = forward_flops(loaded.model, loaded.shape)
    full, reuse = (_multiply_adds(flops, begin, len(tokens)) for begin in (0, cached))
    return SuffixAttention(tokens, cached, weights, full, reuse)


def _multiply_adds(flops: ForwardFlops, cached: int, total: int) -> MultiplyAdds:
    """Return what a forward over the tokens [cached, total) takes; a multiply-add counts as two operations there."""
    matrices = flops.per_token * (total - cached) + flops.head
    return MultiplyAdds(matrices // 2, (flops.of(cached, total) - matrices) // 2)


def _eager_copy(model: CausalLM) -> CausalLM:
    with model.lock:
        module = copy.deepcopy(model.module)
    module.set_attn_implementation("eager")
    return CausalLM(module, model.name)


@contextmanager
def _weights_heard(model: CausalLM) -> Iterator[list[torch.Tensor]]:
    """Give a list that fills with each layer's weights [1, heads, suffix, all], in order, while a forward runs."""
    heard: list[torch.Tensor] = []

    def hear(_module: object, _arguments: object, output: tuple[object, ...]) -> None:
        weights = output[1] if len(output) > 1 else None
        if isinstance(weights, torch.Tensor):
            heard.append(weights.float().cpu())

    parts = [part for part in model.module.modules() if type(part).__name__.endswith("Attention")]
    handles = [part.register_forward_hook(hear) for part in parts]
    try:
        yield heard
    finally:
        for handle in handles:
            handle.remove()


def _plain(head: torch.Tensor) -> Weights:
    return tuple(tuple(row) for row in head.tolist())
