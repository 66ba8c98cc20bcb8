import json
import re
from pathlib import Path
from typing import Any

import pytest


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def test_weights_are_small_and_half_precision(model_folder: Path) -> None:
    """The weights are fp16, at most 5 MB and at most 2.4 million parameters."""
    safetensors = pytest.importorskip("safetensors")
    path = model_folder / "model.safetensors"
    with safetensors.safe_open(str(path), framework="pt") as file:
        tensors = [file.get_tensor(name) for name in file.keys()]  # noqa: SIM118 (not a dict)
    parameters = sum(tensor.numel() for tensor in tensors)
    assert {str(tensor.dtype) for tensor in tensors} == {"torch.float16"}
    assert (path.stat().st_size <= 5_000_000, parameters <= 2_400_000) == (True, True)


def test_model_has_the_parameters_that_its_record_says(model: Any, model_folder: Path) -> None:
    """training.json counts the parameters of the model that lies beside it."""
    counted = sum(parameter.numel() for parameter in model.parameters())
    assert read_json(model_folder / "training.json")["parameters"] == counted


def test_stop_tokens_are_end_of_text_and_newline(model_folder: Path, tokenizer: Any) -> None:
    """Generation stops at <|endoftext|> and at the newline."""
    stops = read_json(model_folder / "generation_config.json")["eos_token_id"]
    assert [tokenizer.id_to_token(stop) for stop in stops] == ["<|endoftext|>", "Ċ"]


def test_transformers_loads_the_same_tokenizer(
    model_folder: Path, tokenizer: Any, parts: dict[str, list[str]], prompts: dict[str, list[int]]
) -> None:
    """AutoTokenizer gives the ids of tokenizer.json, nothing added and nothing cleaned up."""
    transformers = pytest.importorskip("transformers")
    loaded = transformers.AutoTokenizer.from_pretrained(str(model_folder))
    assert {name: loaded("".join(texts))["input_ids"] for name, texts in parts.items()} == prompts
    assert loaded.decode(prompts["A2"]) == tokenizer.decode(prompts["A2"])


def test_card_says_what_the_training_record_says(model_folder: Path) -> None:
    """The card's steps, documents, parameters, vocabulary and loss are those of training.json."""
    record = read_json(model_folder / "training.json")
    card = (model_folder / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([a-z ]+) \| ([\d.,]+) \|$", card, flags=re.MULTILINE))
    keys = ("steps", "documents", "tokens", "vocabulary", "parameters", "final loss")
    assert {key: float(rows[key].replace(",", "")) for key in keys} == {
        key: record[key.replace(" ", "_")] for key in keys
    }
