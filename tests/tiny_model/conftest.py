"""The shipped model and the scenario, each loaded once for this folder."""

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def model_folder() -> Path:
    """The folder of the shipped model."""
    return ROOT / "tiny_model"


@pytest.fixture(scope="session")
def scenario() -> dict[str, Any]:
    """The scenario as its TOML has it."""
    with (ROOT / "scenarios" / "nine-stages.toml").open("rb") as file:
        return tomllib.load(file)


@pytest.fixture(scope="session")
def requests(scenario: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The scripted requests by id."""
    return {request["id"]: request for request in scenario["request"]}


@pytest.fixture(scope="session")
def tokenizer(model_folder: Path) -> Any:
    """The tokenizer, loaded from its file alone."""
    tokenizers = pytest.importorskip("tokenizers")
    return tokenizers.Tokenizer.from_file(str(model_folder / "tokenizer.json"))


@pytest.fixture(scope="session")
def model(model_folder: Path) -> Any:
    """The model of plain transformers, computing in float32 on one thread."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.set_num_threads(1)
    return transformers.AutoModelForCausalLM.from_pretrained(str(model_folder), dtype=torch.float32)


@pytest.fixture(scope="session")
def parts(scenario: dict[str, Any], requests: dict[str, dict[str, Any]]) -> dict[str, list[str]]:
    """The texts whose token ids, put one after the other, are each request's prompt."""
    found: dict[str, list[str]] = {}
    history: dict[str, list[str]] = {}
    for name, request in requests.items():
        if request["kind"] == "chat":
            before = history.get(request["session"], [])
            found[name] = [*before, f"{request.get('system', '')}\nUser: {request['user']}\nAssistant:"]
            history[request["session"]] = [*found[name], f" {request['reply']}"]
        elif "continues" in request:
            origin, sample = request["continues"]["request"], request["continues"]["sample"]
            reply = requests[origin]["replies"][sample - 1]
            found[name] = [*found[origin], f" {reply}", request["text"]]
        else:
            found[name] = [scenario["text"][request["before"]]["text"] + request["text"]]
    return found


@pytest.fixture(scope="session")
def prompts(tokenizer: Any, parts: dict[str, list[str]]) -> dict[str, list[int]]:
    """The prompt ids of every request, later turns continuing the ids of earlier ones."""
    return {name: [token for text in texts for token in tokenizer.encode(text).ids] for name, texts in parts.items()}
