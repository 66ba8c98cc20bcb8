"""A real model over the slots that the engine hands out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from radixviz.engine.runner import DecodeRow, ExtendRow, Sampled
from radixviz.errors import ModelRefused
from radixviz.model.causal_lm import CausalLM
from radixviz.model.kv_tensors import KVTensors
from radixviz.model.paged_cache import PagedCache
from radixviz.model.sampling import sample

OnLogits = Callable[[str, torch.Tensor], None]
"""Told the sequence id and its logits [vocabulary], in float32, before a token is drawn from them."""

PADDING_SLOT = 0


class TorchRunner:
    """The `ModelRunner` that computes: each runner has a pool of its own, several may share one model."""

    def __init__(
        self,
        model: CausalLM,
        tensors: KVTensors,
        *,
        max_positions: int | None = None,
        on_logits: OnLogits | None = None,
    ) -> None:
        self.model = model
        self.tensors = tensors
        self._max_positions = model.max_positions if max_positions is None else max_positions
        self._on_logits = on_logits

    @property
    def max_positions(self) -> int:
        """As the protocol says: the model's own limit, or a lower one that was asked for."""
        return self._max_positions

    def extend(self, rows: Sequence[ExtendRow]) -> list[tuple[Sampled, ...]]:
        """As the protocol says: one forward for each row, over the tokens that are not cached.

        Raises ModelRefused: reason "vocabulary", for a token that the model does not have.
        """
        return [self._extend_row(row) for row in rows]

    def decode(self, rows: Sequence[DecodeRow]) -> list[Sampled]:
        """As the protocol says: one forward for all rows, shorter ones padded on the left with slot 0."""
        if not rows:
            return []
        lengths = [len(row.slots) for row in rows]
        longest = max(lengths)
        padded = [(PADDING_SLOT,) * (longest - len(row.slots)) + row.slots for row in rows]
        mask = self._padding_mask(lengths) if min(lengths) < longest else None
        logits = self._forward([[row.token_id] for row in rows], [[length - 1] for length in lengths], padded, mask)
        self._report([row.sequence_id for row in rows], logits)
        return [sample(logits[index], row.draw) for index, row in enumerate(rows)]

    def copy_slots(self, source: Sequence[int], target: Sequence[int]) -> None:
        """As the protocol says."""
        self.tensors.copy(source, target)

    def _extend_row(self, row: ExtendRow) -> tuple[Sampled, ...]:
        self._check(row.token_ids)
        end = row.start + len(row.token_ids)
        logits = self._forward([row.token_ids], [range(row.start, end)], [row.slots[:end]], None)
        self._report([row.sequence_id], logits)
        return tuple(sample(logits[0], draw) for draw in row.draws)

    def _check(self, token_ids: Sequence[int]) -> None:
        """Refuse what the model has no embedding of: a tokenizer may have control tokens that its model lacks."""
        limit, largest = self.model.vocabulary_size, max(token_ids)
        if largest >= limit:
            raise ModelRefused(self.model.name, "vocabulary", f"{largest} ≥ {limit}")

    def _forward(
        self,
        token_ids: Sequence[Sequence[int]],
        positions: Sequence[Sequence[int]],
        slots: Sequence[Sequence[int]],
        mask: torch.Tensor | None,
    ) -> torch.Tensor:
        """Run the new tokens, which fill the last of each row's slots; return logits [rows, vocabulary]."""
        cache = PagedCache(self.tensors, slots, len(token_ids[0]))
        tokens = torch.tensor([list(row) for row in token_ids], device=self.model.device)
        position_ids = torch.tensor([list(row) for row in positions], device=self.model.device)
        return self.model.next_logits(tokens, position_ids, cache, mask)

    def _padding_mask(self, lengths: Sequence[int]) -> torch.Tensor:
        """[rows, longest]: False before each row's first token."""
        longest = max(lengths)
        first = torch.tensor([[longest - length] for length in lengths], device=self.model.device)
        return torch.arange(longest, device=self.model.device)[None] >= first

    def _report(self, sequence_ids: Sequence[str], logits: torch.Tensor) -> None:
        if self._on_logits is not None:
            for sequence_id, row in zip(sequence_ids, logits, strict=True):
                self._on_logits(sequence_id, row)
