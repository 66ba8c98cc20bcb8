"""A LoRA adapter, merged into a copy of a model's weights: W + alpha / r · B A. It reads peft's files without peft."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from transformers import PreTrainedModel

from radixviz.errors import ModelRefused
from radixviz.model.causal_lm import CausalLM
from radixviz.model.folder import TINY, locate
from radixviz.model.kv_shape import probe_kv_shape
from radixviz.model.loader import LoadedModel
from radixviz.model.selfcheck import self_check

CAPTAIN = "captain"
"""The name of the shipped adapter."""
_BEGINNING, _A, _B = "base_model.model.", ".lora_A.weight", ".lora_B.weight"
_PLAIN = {"peft_type": "LORA", "bias": "none", "use_dora": False, "use_rslora": False, "fan_in_fan_out": False}
"""What an adapter's configuration must say, where it says it, for the formula above to be all there is to it."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """The two factors of each changed weight, by the weight's place in the model: A [r, in] and B [out, r]."""

    name: str
    scale: float
    factors: Mapping[str, tuple[torch.Tensor, torch.Tensor]]


def read_adapter(folder: Path, name: str) -> Adapter:
    """Return the adapter of a folder with adapter_config.json and adapter_model.safetensors.

    Raises:
        ModelRefused: reason "bad_adapter", if a file is missing or cannot be read, or it is more than a plain LoRA.
    """
    try:
        config = json.loads((folder / "adapter_config.json").read_text(encoding="utf-8"))
        scale = _scale(name, config)
        weights = load_file(folder / "adapter_model.safetensors")
    except ModelRefused:
        raise
    except Exception as error:  # the library raises its own SafetensorError, and a file may be anything
        raise ModelRefused(name, "bad_adapter", str(error)) from error
    return Adapter(name, scale, _factors(name, weights))


def shipped_adapter() -> Adapter:
    """Return the captain, who lies beside the tiny model.

    Raises ModelRefused.
    """
    return read_adapter(locate(TINY).path / "adapter", CAPTAIN)


def with_adapter(base: LoadedModel, adapter: Adapter) -> LoadedModel:
    """Return a model of its own with the adapter merged into its weights; `base` stays as it is.

    Raises:
        ModelRefused: reason "bad_adapter" if a weight is not there or has another size; "selfcheck" as at any load.
    """
    with base.lock:
        module = copy.deepcopy(base.model.module)
    merge(module, adapter)
    model = CausalLM(module, base.name)
    report = self_check(model, probe_kv_shape(model))
    return replace(base, model=model, report=report)


@torch.no_grad()
def merge(module: PreTrainedModel, adapter: Adapter) -> None:
    """Add scale · B A to each weight that the adapter changes; with a ModelRefused nothing is changed."""
    changes = []
    for place, (a, b) in adapter.factors.items():
        try:
            weight = module.get_submodule(place).get_parameter("weight")
        except AttributeError as error:
            raise ModelRefused(adapter.name, "bad_adapter", str(error)) from error
        if weight.shape != (b.shape[0], a.shape[1]):
            raise ModelRefused(adapter.name, "bad_adapter", f"{place}: {tuple(weight.shape)}")
        changes.append((weight, adapter.scale * (b.float() @ a.float())))
    for weight, change in changes:
        weight.add_(change.to(weight.device, weight.dtype))


def _scale(name: str, config: Any) -> float:
    for field, plain in _PLAIN.items():
        if config.get(field, plain) != plain:
            raise ModelRefused(name, "bad_adapter", f"{field}: {config[field]}")
    return float(config["lora_alpha"] / config["r"])


def _factors(name: str, weights: Mapping[str, torch.Tensor]) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    places = sorted({key.removesuffix(_A).removesuffix(_B) for key in weights})
    expected = {place + ending for place in places for ending in (_A, _B)}
    if not places or expected != set(weights):
        raise ModelRefused(name, "bad_adapter", ", ".join(sorted(expected ^ set(weights))[:3]) or "0 weights")
    pairs = {place: (weights[place + _A], weights[place + _B]) for place in places}
    for place, (a, b) in pairs.items():
        if a.ndim != 2 or b.ndim != 2 or a.shape[0] != b.shape[1]:
            raise ModelRefused(name, "bad_adapter", f"{place}: {tuple(a.shape)}, {tuple(b.shape)}")
    return {place.removeprefix(_BEGINNING): pair for place, pair in pairs.items()}
