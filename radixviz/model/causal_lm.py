"""One causal language model of transformers, shared by every runner that uses it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from threading import Lock

import torch
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.cache_utils import Cache

NO_LIMIT = 1 << 30
WINDOW_OF_LAYER_TYPE = {"sliding_attention": "sliding_window", "chunked_attention": "attention_chunk_size"}
"""Which field of the config holds a layer's window; without layer types a sliding one is every layer's."""

SWITCHING_ROPES = ("dynamic", "longrope")
"""Kinds of RoPE whose angles depend on the length of the whole sequence."""


class CausalLM:
    """A model and the lock around its forward: several runners, each with its own pool, may share it.

    It hides what differs between versions and families: the name of forward's cache argument (`cache` since
    transformers 5.24, `past_key_values` before), and whether logits can be limited to the last position.
    """

    def __init__(self, module: PreTrainedModel, name: str, *, lock: Lock | None = None) -> None:
        self.module = module
        self.name = name
        self.lock = lock if lock is not None else Lock()
        parameters = inspect.signature(type(module).forward).parameters
        self._cache_argument = "cache" if "cache" in parameters else "past_key_values"
        self._can_keep = "logits_to_keep" in parameters

    @property
    def config(self) -> PreTrainedConfig:
        """The config of its text part."""
        return self.module.config.get_text_config(decoder=True)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.module.device

    @property
    def dtype(self) -> torch.dtype:
        """The type of its weights."""
        return self.module.dtype

    @property
    def vocabulary_size(self) -> int:
        """Token ids that it can read are 0 to this, exclusive."""
        return len(self.module.get_input_embeddings().get_parameter("weight"))

    @property
    def max_positions(self) -> int:
        """The most tokens of one sequence, or a very large number if the model sets no limit.

        Dynamic RoPE and LongRoPE turn every position another way once a sequence is longer than at first in training.
        K of before and after do not go together, so that length is the limit.
        """
        limits = [getattr(self.config, "max_position_embeddings", None), *_switching_limits(self.config)]
        return min((limit for limit in limits if isinstance(limit, int) and limit > 0), default=NO_LIMIT)

    @property
    def attention_windows(self) -> tuple[int, ...]:
        """The numbers of tokens that layers with a sliding window, or with chunks, see; empty without such layers."""
        layer_types = getattr(self.config, "layer_types", None) or ["sliding_attention"]
        fields = {WINDOW_OF_LAYER_TYPE[kind] for kind in layer_types if kind in WINDOW_OF_LAYER_TYPE}
        windows = (getattr(self.config, field, None) for field in fields)
        return tuple(sorted(window for window in windows if isinstance(window, int) and window > 0))

    def layer_windows(self, layers: int) -> tuple[int | None, ...]:
        """Return how many tokens each layer sees, None where it sees all."""
        kinds = getattr(self.config, "layer_types", None) or ["sliding_attention"] * layers
        windows = [getattr(self.config, WINDOW_OF_LAYER_TYPE.get(kind, ""), None) for kind in kinds]
        return tuple(window if isinstance(window, int) and window > 0 else None for window in windows[:layers])

    @torch.inference_mode()
    def next_logits(
        self,
        token_ids: torch.Tensor,
        position_ids: torch.Tensor,
        cache: Cache,
        attention_mask: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Run the tokens that `cache` does not hold yet, and return the last position's logits.

        token_ids and position_ids [rows, new], attention_mask [rows, all] (True: a token, False: padding), result
        [rows, vocabulary] in float32. The cache takes the new tokens' K and V. One caller at a time: others wait.
        """
        arguments: dict[str, object] = {self._cache_argument: cache}
        if self._can_keep:
            arguments["logits_to_keep"] = 1
        if attention_mask is not None:
            arguments["attention_mask"] = attention_mask
        with self.lock:
            output = self.module(input_ids=token_ids, position_ids=position_ids, use_cache=True, **arguments)
        logits: torch.Tensor = output.logits[:, -1].float()
        return logits

    @torch.inference_mode()
    def recompute_logits(self, token_ids: Sequence[int], positions: Sequence[int] | None = None) -> torch.Tensor:
        """Return the logits of these positions by one plain forward over all tokens, without any cache.

        Result [positions, vocabulary] in float32; without `positions` those of every token.
        """
        kept = torch.tensor(range(len(token_ids)) if positions is None else positions, device=self.device)
        arguments = {"logits_to_keep": kept} if self._can_keep else {}
        with self.lock:
            tokens = torch.tensor([list(token_ids)], device=self.device)
            output = self.module(input_ids=tokens, use_cache=False, **arguments)
        logits: torch.Tensor = output.logits[0] if self._can_keep else output.logits[0, kept]
        return logits.float()


def _switching_limits(config: PreTrainedConfig) -> list[object]:
    """Return the lengths from which a kind of RoPE turns otherwise; the parameters may be given by layer type."""
    parameters = getattr(config, "rope_parameters", None) or {}
    parts = [part for part in (parameters, *parameters.values()) if isinstance(part, dict)]
    return [part.get("original_max_position_embeddings") for part in parts if part.get("rope_type") in SWITCHING_ROPES]
