"""What differs between versions and families, hidden."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from transformers import DynamicCache, PreTrainedModel

from radixviz.model.causal_lm import NO_LIMIT, CausalLM
from tests.model.random_models import WINDOW

TOKENS = torch.tensor([[3, 1, 2]])


class Older:
    """A model as before transformers 5.24, and without `logits_to_keep`."""

    device = torch.device("cpu")

    def forward(self, input_ids: Any = None, position_ids: Any = None, past_key_values: Any = None) -> None: ...

    def __call__(self, **arguments: Any) -> SimpleNamespace:
        """Return logits [rows, tokens, 4] that count up, and keep what came."""
        self.arguments = arguments
        return SimpleNamespace(logits=torch.arange(12, dtype=torch.bfloat16).view(1, 3, 4))


class Newer(Older):
    """A model as from transformers 5.24 on."""

    def forward(
        self, input_ids: Any = None, position_ids: Any = None, cache: Any = None, logits_to_keep: Any = 0
    ) -> None: ...


def test_the_cache_goes_by_the_name_that_forward_knows() -> None:
    """`past_key_values` and `cache` are told apart by the signature; the last position's logits come back as float."""
    found: dict[str, set[str]] = {}
    for module in (Older(), Newer()):
        logits = CausalLM(cast(PreTrainedModel, module), "stub").next_logits(TOKENS, TOKENS, DynamicCache())
        assert torch.equal(logits, torch.tensor([[8.0, 9.0, 10.0, 11.0]]))
        found[type(module).__name__] = set(module.arguments) - {"input_ids", "position_ids", "use_cache"}
    assert found == {"Older": {"past_key_values"}, "Newer": {"cache", "logits_to_keep"}}


def test_logits_of_chosen_positions_are_rows_of_all_of_them(llama: CausalLM) -> None:
    """Positions choose rows, with or without the model's help."""
    tokens = (5, 6, 7, 8, 9)
    every = llama.recompute_logits(tokens)
    assert every.shape == (5, 256)
    assert torch.allclose(llama.recompute_logits(tokens, [3, 1]), every[[3, 1]], atol=1e-5)
    stub = CausalLM(cast(PreTrainedModel, Older()), "stub")
    assert stub.recompute_logits((1, 2, 3), [1]).tolist() == [[4.0, 5.0, 6.0, 7.0]]


def test_a_forward_waits_for_the_lock_of_the_model(llama: CausalLM) -> None:
    """Models that are given the same lock run one at a time."""
    lock = Lock()
    model = CausalLM(llama.module, "again", lock=lock)
    held: list[bool] = []
    hook = model.module.register_forward_hook(lambda *_: held.append(lock.locked()))
    model.recompute_logits((1, 2))
    model.next_logits(TOKENS, TOKENS, DynamicCache())
    hook.remove()
    assert (held, lock.locked()) == ([True, True], False)


@pytest.mark.parametrize(
    ("family", "windows"), [("llama", ()), ("qwen2", ()), ("mistral", (WINDOW,)), ("gemma2", (WINDOW,)), ("gpt2", ())]
)
def test_the_windows_of_each_family_are_known(
    family: str, windows: tuple[int, ...], model_of: Callable[[str], CausalLM]
) -> None:
    """A sliding window in some layers, in all or in none."""
    assert model_of(family).attention_windows == windows


class Configured(Older):
    """A model of which only the config matters."""

    def __init__(self, **fields: Any) -> None:
        self.config = SimpleNamespace(get_text_config=lambda decoder: SimpleNamespace(**fields))


def configured(**fields: Any) -> CausalLM:
    """Return a model whose config has these fields."""
    return CausalLM(cast(PreTrainedModel, Configured(**fields)), "stub")


@pytest.mark.parametrize(
    ("fields", "windows"),
    [
        ({"sliding_window": 9}, (9,)),
        ({"sliding_window": None}, ()),
        ({"sliding_window": 9, "layer_types": ["full_attention"]}, ()),
        ({"attention_chunk_size": 7}, ()),
        ({"attention_chunk_size": 7, "layer_types": ["full_attention", "chunked_attention"]}, (7,)),
        (
            {"sliding_window": 9, "attention_chunk_size": 7, "layer_types": ["sliding_attention", "chunked_attention"]},
            (7, 9),
        ),
    ],
)
def test_only_a_window_that_a_layer_uses_counts(fields: dict[str, Any], windows: tuple[int, ...]) -> None:
    """Configs keep fields that no layer reads; chunks are windows too."""
    assert configured(**fields).attention_windows == windows


@pytest.mark.parametrize(
    ("rope", "limit"),
    [
        (None, 128),
        ({"rope_type": "default"}, 128),
        ({"rope_type": "yarn", "original_max_position_embeddings": 32}, 128),
        ({"rope_type": "longrope", "original_max_position_embeddings": 32}, 32),
        ({"rope_type": "dynamic", "original_max_position_embeddings": 32, "factor": 4.0}, 32),
        ({"rope_type": "dynamic", "factor": 4.0}, 128),
        ({"full_attention": {"rope_type": "longrope", "original_max_position_embeddings": 64}}, 64),
    ],
)
def test_rope_that_switches_is_used_up_to_there(rope: dict[str, Any] | None, limit: int) -> None:
    """Longer sequences would turn earlier positions another way and make cached K wrong: the limit comes first."""
    assert configured(max_position_embeddings=128, rope_parameters=rope).max_positions == limit


def test_limits_come_from_the_config_or_are_very_large(llama: CausalLM) -> None:
    """A model without a limit on positions can take any sequence that the pool holds."""
    assert (llama.max_positions, llama.vocabulary_size, str(llama.device), llama.dtype) == (
        128,
        256,
        "cpu",
        torch.float32,
    )
    assert configured().max_positions == NO_LIMIT
