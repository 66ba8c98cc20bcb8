from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from radixviz.errors import ModelRefused
from radixviz.model.adapter import merge, read_adapter, shipped_adapter, with_adapter
from radixviz.model.folder import TINY, locate
from radixviz.model.loader import LoadedModel, load
from tests.model.random_models import build

PLACE = "model.layers.1.self_attn.k_proj"
SHIPPED = locate(TINY).path / "adapter"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with an adapter of rank 2 for one weight [16, 32] of the random Llama."""
    save_file(
        {
            f"base_model.model.{PLACE}.lora_A.weight": torch.arange(64.0).reshape(2, 32),
            f"base_model.model.{PLACE}.lora_B.weight": torch.arange(32.0).reshape(16, 2),
        },
        tmp_path / "adapter_model.safetensors",
    )
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA", "r": 2, "lora_alpha": 8}', encoding="utf-8")
    return tmp_path


def test_a_weight_grows_by_the_scaled_product(folder: Path) -> None:
    """W + alpha / r · B A in the one place that the adapter has, and nothing anywhere else."""
    model, merged = build("llama").module, build("llama").module
    merge(merged, read_adapter(folder, "x"))
    factor = torch.arange(32.0).reshape(16, 2) @ torch.arange(64.0).reshape(2, 32)
    before, after = dict(model.named_parameters()), dict(merged.named_parameters())
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed == {f"{PLACE}.weight"}
    assert torch.equal(after[f"{PLACE}.weight"], before[f"{PLACE}.weight"] + 4.0 * factor)


def test_the_base_stays_as_it_is(tiny: LoadedModel, captain: LoadedModel) -> None:
    """Base and adapter are two models with a lock each, and the base answers as if the adapter had never been."""
    tokens = tiny.tokenizer.encode("User: Hello!\nAssistant:")
    again = load(TINY).model.recompute_logits(tokens)
    assert torch.equal(tiny.model.recompute_logits(tokens), again)
    assert float((captain.model.recompute_logits(tokens) - again).abs().max()) > 1
    assert (captain.lock is tiny.lock, captain.report.max_abs_diff < 1e-3) == (False, True)


@pytest.mark.filterwarnings("ignore")
def test_peft_merges_the_same(tiny: LoadedModel, captain: LoadedModel) -> None:
    """The shipped files, read by peft as an adapter beside the weights, give the logits of our merged weights."""
    peft = pytest.importorskip("peft")
    adapted = peft.PeftModel.from_pretrained(load(TINY).model.module, SHIPPED).eval()
    tokens = tiny.tokenizer.encode("You are a helpful assistant.\nUser: What can you do?\nAssistant:")
    with torch.inference_mode():
        expected = adapted(input_ids=torch.tensor([tokens]), use_cache=False).logits[0]
    torch.testing.assert_close(captain.model.recompute_logits(tokens), expected, atol=1e-4, rtol=0)


def test_it_is_small() -> None:
    """The shipped adapter takes at most 200 kB."""
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) <= 200_000
    assert len(shipped_adapter().factors) == 16


def _config(folder: Path, **fields: object) -> None:
    path = folder / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | fields), encoding="utf-8")


def _weights(folder: Path, change: Callable[[dict[str, torch.Tensor]], None]) -> None:
    weights = load_file(folder / "adapter_model.safetensors")
    change(weights)
    save_file(weights, folder / "adapter_model.safetensors")


def _rename(weights: dict[str, torch.Tensor]) -> None:
    for name in list(weights):
        weights[name.replace("k_proj", "x_proj")] = weights.pop(name)


@pytest.mark.parametrize(
    ("spoil", "detail"),
    [
        (lambda folder: shutil.rmtree(folder), "adapter_config.json"),
        (lambda folder: (folder / "adapter_model.safetensors").write_bytes(b"x"), "header"),
        (lambda folder: (folder / "adapter_config.json").write_text("[]"), "list"),
        (lambda folder: _config(folder, r=0), "zero"),
        (lambda folder: _config(folder, use_dora=True), "use_dora: True"),
        (lambda folder: _config(folder, peft_type="IA3"), "peft_type: IA3"),
        (lambda folder: _weights(folder, lambda weights: weights.clear()), "0 weights"),
        (lambda folder: _weights(folder, lambda weights: weights.popitem() and None), "lora_"),
        (lambda folder: _weights(folder, _rename), "x_proj"),
        (
            lambda folder: _weights(
                folder, lambda weights: weights.update({name: value.T.contiguous() for name, value in weights.items()})
            ),
            "(32, 2)",
        ),
    ],
    ids=["missing", "cut off", "not an object", "no rank", "dora", "not lora", "empty", "half", "no place", "turned"],
)
def test_an_adapter_that_cannot_be_used_is_refused(
    spoil: Callable[[Path], object], detail: str, folder: Path, model_folder: Path
) -> None:
    """What is missing, broken, or more than a plain LoRA is refused, and the detail says what it is."""
    spoil(folder)
    base = load(str(model_folder))
    with pytest.raises(ModelRefused) as refused:
        with_adapter(base, read_adapter(folder, "x"))
    assert (refused.value.model, refused.value.reason) == ("x", "bad_adapter")
    assert detail in refused.value.detail


def test_a_weight_of_another_size_is_refused(folder: Path, tiny: LoadedModel) -> None:
    """An adapter for another model names a weight that is there, but has another size."""
    with pytest.raises(ModelRefused, match=r"k_proj: \(96, 192\)"):
        with_adapter(tiny, read_adapter(folder, "x"))
