"""The gate at load: a model whose logits change when it runs over pages is refused."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from radixviz.engine.request import Draw
from radixviz.engine.runner import DecodeRow, ExtendRow, ModelRunner
from radixviz.errors import ModelRefused
from radixviz.model.causal_lm import CausalLM
from radixviz.model.kv_shape import KVShape
from radixviz.model.kv_tensors import KVTensors
from radixviz.model.torch_runner import OnLogits, TorchRunner

TOKENS = 40
TOKENS_PAST_WINDOW = 16
LONGEST_WINDOW_CHECKED = 1024
PAGE_SIZE = 4
TOLERANCE = {torch.float16: 0.25, torch.bfloat16: 2.0}
"""Noise of the half precisions reaches a fifth of this; a wrong position is off by about 9."""
TOLERANCE_OTHERWISE = 1e-3

Fault = (AttributeError, IndexError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class SelfCheckReport:
    """What the check found. `past_window` is true if no layer has an attention window, or the check went past it."""

    max_abs_diff: float
    tolerance: float
    tokens: int
    past_window: bool


class BuildRunner(Protocol):
    """How the check makes its runner: `TorchRunner` itself, unless a test wants a faulty one."""

    def __call__(self, model: CausalLM, tensors: KVTensors, *, on_logits: OnLogits) -> ModelRunner:
        """Return a runner of this model over these tensors."""
        ...


def self_check(model: CausalLM, shape: KVShape, *, build: BuildRunner = TorchRunner) -> SelfCheckReport:
    """Run a few tokens over scattered pages and compare with a plain forward of the same model.

        extend   [0, half)              then [half, n - 1), which reads the first part's K and V from the pool
        decode   token n - 1 of all of them, and, in the same batch, token half of a shorter row

    With a sliding window, or with chunks, n goes past it. A window longer than 1024 is not passed, it would cost too
    much at load: `past_window` is then false, and the caller keeps sequences within the window, where it changes
    nothing.

    Raises:
        ModelRefused: reason "selfcheck", if a logit differs by more than the dtype's tolerance, or the run fails.
    """
    token_ids, past_window = _choose_tokens(model)
    half = len(token_ids) // 2
    positions = {"prefix": half - 1, "suffix": len(token_ids) - 2, "longer": len(token_ids) - 1, "shorter": half}
    try:
        paged = _paged_logits(model, shape, token_ids, half, build)
    except Fault as error:
        raise ModelRefused(model.name, "selfcheck", f"{type(error).__name__}: {error}") from error
    whole = model.recompute_logits(token_ids, list(positions.values()))
    found = torch.stack([paged[name] for name in positions])
    difference = float((found - whole).abs().max())
    tolerance = TOLERANCE.get(model.dtype, TOLERANCE_OTHERWISE)
    if not difference <= tolerance:  # a NaN is not
        raise ModelRefused(model.name, "selfcheck", f"{difference:.3g} > {tolerance:g}")
    return SelfCheckReport(difference, tolerance, len(token_ids), past_window)


def _choose_tokens(model: CausalLM) -> tuple[tuple[int, ...], bool]:
    passed = [window for window in model.attention_windows if window <= LONGEST_WINDOW_CHECKED]
    past_window = len(passed) == len(model.attention_windows)
    count = min(max([TOKENS, *(window + TOKENS_PAST_WINDOW for window in passed)]), model.max_positions)
    return tuple((37 * index + 11) % model.vocabulary_size for index in range(count)), past_window


def _paged_logits(
    model: CausalLM, shape: KVShape, token_ids: Sequence[int], half: int, build: BuildRunner
) -> dict[str, torch.Tensor]:
    """Return the last logits of each of the four rows, by its name."""
    logits: dict[str, torch.Tensor] = {}
    pages = -(-len(token_ids) // PAGE_SIZE) + 1
    tensors = KVTensors(shape, pages, PAGE_SIZE, dtype=model.dtype, device=model.device)
    runner = build(model, tensors, on_logits=logits.__setitem__)
    *slots, spare = _scattered_slots(pages, len(token_ids))
    _run(runner, tuple(token_ids), half, tuple(slots), spare)
    return logits


def _run(runner: ModelRunner, token_ids: tuple[int, ...], half: int, slots: tuple[int, ...], spare: int) -> None:
    last = len(token_ids) - 1
    runner.extend([ExtendRow("prefix", token_ids[:half], 0, slots[:half], ())])
    runner.extend([ExtendRow("suffix", token_ids[half:last], half, slots[:last], ())])
    runner.decode(
        [
            DecodeRow("longer", token_ids[last], slots, Draw()),
            DecodeRow("shorter", token_ids[half], (*slots[:half], spare), Draw()),
        ]
    )


def _scattered_slots(pages: int, tokens: int) -> list[int]:
    """Return the slots of `tokens` tokens in shuffled pages, and one slot of a page of its own behind them."""
    order = list(range(1, pages + 1))
    random.Random(0).shuffle(order)
    slots = [page * PAGE_SIZE + offset for page in order[:-1] for offset in range(PAGE_SIZE)]
    return [*slots[:tokens], order[-1] * PAGE_SIZE]
