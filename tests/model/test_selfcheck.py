"""The gate at load."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
import torch

from radixviz.engine.runner import DecodeRow, Sampled
from radixviz.errors import ModelRefused
from radixviz.model.causal_lm import CausalLM
from radixviz.model.kv_shape import KVShape
from radixviz.model.paged_cache import PagedLayer
from radixviz.model.selfcheck import SelfCheckReport, self_check
from radixviz.model.torch_runner import TorchRunner
from tests.model.random_models import FAMILIES, KV_SHAPE, WINDOW, ShiftedPositions, build


class ShiftedBatch(TorchRunner):
    """A faulty runner: in a batch of unequal rows, all get the positions of the longest, and see their padding."""

    def decode(self, rows: Sequence[DecodeRow]) -> list[Sampled]:
        """Pad with the row's own first slot instead of masking it."""
        longest = max(len(row.slots) for row in rows)
        return super().decode(
            [
                DecodeRow(
                    row.sequence_id, row.token_id, (row.slots[0],) * (longest - len(row.slots)) + row.slots, row.draw
                )
                for row in rows
            ]
        )


@pytest.mark.parametrize("family", FAMILIES)
def test_right_models_pass(family: str, model_of: Callable[[str], CausalLM]) -> None:
    """Every family agrees with its plain forward to float32 noise, those with a window of 12 past it."""
    report = self_check(model_of(family), KV_SHAPE)
    assert report.max_abs_diff < 1e-4
    assert report == SelfCheckReport(report.max_abs_diff, tolerance=1e-3, tokens=40, past_window=True)


@pytest.mark.parametrize("family", FAMILIES)
def test_eager_attention_passes_as_well(family: str) -> None:
    """The cache works under the plain implementation of attention too."""
    model = build(family, attn_implementation="eager")
    assert model.config._attn_implementation == "eager"
    assert self_check(model, KV_SHAPE).max_abs_diff < 1e-4


def test_a_wrong_position_is_refused(llama: CausalLM) -> None:
    """A model that is one position off after a prefix does not get in."""
    with pytest.raises(ModelRefused) as refused:
        self_check(ShiftedPositions(llama.module, "shifted"), KV_SHAPE)
    assert (refused.value.model, refused.value.reason) == ("shifted", "selfcheck")
    measured, limit = map(float, refused.value.detail.split(" > "))
    assert measured > 1
    assert limit == 1e-3


def test_a_fault_in_batches_only_is_refused(llama: CausalLM) -> None:
    """The shorter row of the decode step is looked at as well."""
    with pytest.raises(ModelRefused, match="selfcheck"):
        self_check(llama, KV_SHAPE, build=ShiftedBatch)


def test_a_fault_past_the_sliding_window_only_is_refused(
    model_of: Callable[[str], CausalLM], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mask that lets a sequence see beyond its window is noticed, because the check goes past the window."""
    model = model_of("mistral")
    plain = CausalLM.next_logits

    def without_window(self: CausalLM, *arguments: torch.Tensor) -> torch.Tensor:
        with monkeypatch.context() as patch:
            patch.setattr(model.config, "sliding_window", 1000)
            return plain(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(CausalLM, "next_logits", without_window)
    with pytest.raises(ModelRefused, match="selfcheck"):
        self_check(model, KV_SHAPE)


@pytest.mark.parametrize(("window", "tokens", "past_window"), [(50, 66, True), (WINDOW, 40, True), (1025, 40, False)])
def test_how_far_the_check_goes(
    window: int, tokens: int, past_window: bool, model_of: Callable[[str], CausalLM], monkeypatch: pytest.MonkeyPatch
) -> None:
    """16 tokens past the window, at least 40; a window above 1024 is not passed, and the report says so."""
    model = model_of("mistral")
    monkeypatch.setattr(model.config, "sliding_window", window)
    report = self_check(model, KV_SHAPE)
    assert (report.tokens, report.past_window) == (tokens, past_window)


def test_the_check_stays_within_the_models_positions(
    model_of: Callable[[str], CausalLM], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model for 24 positions is checked with 24."""
    model = model_of("gpt2")
    monkeypatch.setattr(model.config, "n_positions", 24)
    assert self_check(model, KV_SHAPE).tokens == 24


def test_not_a_number_is_refused(llama: CausalLM, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logits that are no numbers differ from everything."""
    nothing = torch.full((4, 256), torch.nan)
    monkeypatch.setattr(llama, "recompute_logits", lambda *_: nothing)
    with pytest.raises(ModelRefused, match="nan > "):
        self_check(llama, KV_SHAPE)


def test_a_cache_that_fails_is_refused_with_its_error(llama: CausalLM, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that cannot run over pages is named, with what it said."""

    def fail(*_: object, **__: object) -> None:
        raise TypeError("no such argument")

    monkeypatch.setattr(PagedLayer, "update", fail)
    with pytest.raises(ModelRefused) as refused:
        self_check(llama, KV_SHAPE)
    assert refused.value.facts() == {"model": "llama", "reason": "selfcheck", "detail": "TypeError: no such argument"}


def test_a_pool_of_the_wrong_shape_is_refused(llama: CausalLM) -> None:
    """Heads that do not fit the tensor are an error of the run."""
    with pytest.raises(ModelRefused, match="selfcheck"):
        self_check(llama, KVShape(2, 3, 8))


def test_half_precision_has_its_own_tolerance(llama: CausalLM) -> None:
    """bfloat16 noise passes where float32 would be refused."""
    module = type(llama.module)(llama.config).train(False)
    module.load_state_dict(llama.module.state_dict())
    report = self_check(CausalLM(module.to(torch.bfloat16), "half"), KV_SHAPE)
    assert report.tolerance == 2.0
    assert 1e-3 < report.max_abs_diff < 0.5
