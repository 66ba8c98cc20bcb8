"""Prefill and decode over pages, and what to compare."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from radixviz.engine.request import Draw
from radixviz.engine.runner import DecodeRow, ExtendRow
from radixviz.model.torch_runner import TorchRunner

GREEDY = (Draw(),)
CLOSE = 1e-4  # what float32 may differ by; a wrong position is off by more than 1


class Recorded(dict[str, torch.Tensor]):
    """The last logits of each sequence."""

    def __call__(self, sequence_id: str, logits: torch.Tensor) -> None:
        """Keep these."""
        self[sequence_id] = logits


def difference(left: torch.Tensor, right: torch.Tensor) -> float:
    """Return the largest difference of two rows of logits."""
    return float((left - right).abs().max())


def run_greedy(runner: TorchRunner, prompt: Sequence[int], cached: int, slots: Sequence[int], count: int) -> list[int]:
    """Prefill what is not cached, decode greedily, return the tokens."""
    row = ExtendRow("r", tuple(prompt[cached:]), cached, tuple(slots[: len(prompt)]), GREEDY)
    tokens = [runner.extend([row])[0][0].token_id]
    while len(tokens) < count:
        filled = tuple(slots[: len(prompt) + len(tokens)])
        tokens.append(runner.decode([DecodeRow("r", tokens[-1], filled, Draw())])[0].token_id)
    return tokens
