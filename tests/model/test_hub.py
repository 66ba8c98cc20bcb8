"""Models of the hub: the hub's own client asks a server on this computer, over real HTTP."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from radixviz.errors import FetchFailed, ModelRefused, UnknownModel
from radixviz.model.causal_lm import CausalLM
from radixviz.model.hub import is_hub_id
from radixviz.model.loader import HUB, STEPS, load
from tests.model.hub_server import COMMIT, ID, Hub, serving

ROOT = Path(__file__).parents[2]
WANTED = ("config.json", "generation_config.json", "model.safetensors", "tokenizer.json")


@pytest.fixture(autouse=True)
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which the hub's library keeps models, empty; the hub itself is out of reach."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def hub(model_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """Return a hub with the random Llama. What is set here, the library reads from HF_ENDPOINT as it is imported."""
    with serving({name: (model_folder / name).read_bytes() for name in WANTED}) as served:
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", served.address)
        template = f"{served.address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield served


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library rests for a second before it tries again; and it keeps a kilobyte as soon as that is there."""
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 1024)


def failure(name: str = ID) -> tuple[str, str]:
    """Return the reason and the detail with which a model does not come."""
    with pytest.raises(FetchFailed) as failed:
        load(name, hub=True)
    assert failed.value.model == name
    return failed.value.reason, failed.value.detail


def kept(cache: Path) -> set[str]:
    """Return the names of the model's files that are there, and of what is left of a download."""
    files = {file.name for file in (cache / f"models--{ID.replace('/', '--')}" / "snapshots" / COMMIT).glob("*")}
    return files | {file.name for file in cache.rglob("*.incomplete")}


def test_a_model_is_downloaded_checked_and_loaded(hub: Hub, llama: CausalLM) -> None:
    """It passes the self-check under its id, and is there from then on; asking the hub is a step of its own."""
    told: list[str] = []
    loaded = load(ID, hub=True, progress=told.append)
    assert (loaded.name, tuple(told)) == (ID, (HUB, *STEPS))
    assert loaded.report.max_abs_diff < 1e-4
    assert torch.equal(loaded.model.recompute_logits((1, 2, 3)), llama.recompute_logits((1, 2, 3)))
    assert hub.given == set(WANTED)

    hub.asked.clear()
    hub.is_down = True
    assert load(ID, hub=True).name == ID
    assert hub.given == set()


def test_neither_code_nor_pickles_nor_second_copies_are_fetched(hub: Hub) -> None:
    """A repository with code of its own is loaded by the code of transformers, and by nothing else."""
    config = json.loads(hub.files["config.json"]) | {"auto_map": {"AutoModelForCausalLM": "modeling_mine.Mine"}}
    hub.files = hub.files | {
        "config.json": json.dumps(config).encode(),
        "modeling_mine.py": b"raise SystemExit('foreign code was run')",
        "pytorch_model.bin": b"pickle",
        "consolidated.safetensors": b"the same again",
        "onnx/model.safetensors": b"for another program",
        "README.md": b"# A model",
    }
    loaded = load(ID, hub=True)
    assert type(loaded.model.module).__module__ == "transformers.models.llama.modeling_llama"
    assert hub.given == set(WANTED)


def test_only_pickled_weights_are_refused_without_a_download(hub: Hub) -> None:
    """They are named; what came are the settings."""
    weights = hub.files["model.safetensors"]
    settings = {name: body for name, body in hub.files.items() if name != "model.safetensors"}
    hub.files = settings | {"pytorch_model.bin": weights}
    with pytest.raises(ModelRefused) as refused:
        load(ID, hub=True)
    assert refused.value.facts() == {"model": ID, "reason": "pickle", "detail": "pytorch_model.bin"}
    assert hub.given == set(settings)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"tokenizer.json": None}, "no_tokenizer"),
        ({"config.json": b'{"architectures": ["BertForMaskedLM"]}'}, "no_causal_head"),
        ({"config.json": b"{"}, "bad_config"),
        ({"config.json": None}, "bad_config"),
        ({"model.safetensors": None}, "no_weights"),
    ],
)
def test_what_cannot_be_used_is_known_before_the_weights_come(
    changed: dict[str, bytes | None], reason: str, hub: Hub
) -> None:
    """Nobody waits for gigabytes that are then refused."""
    hub.files = {name: body for name, body in {**hub.files, **changed}.items() if body is not None}
    with pytest.raises(ModelRefused) as refused:
        load(ID, hub=True)
    assert (refused.value.model, refused.value.reason) == (ID, reason)
    assert "model.safetensors" not in hub.given


def test_a_hub_that_cannot_be_reached_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """The model and the reason are named."""
    assert failure() == ("hub", "OfflineModeIsEnabled")
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("offline", [True, False])
def test_settings_alone_are_no_model_where_the_hub_cannot_be_reached(
    offline: bool, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They came before the weights, which are still to come; whether the library was told to stay at home or not."""
    del hub.files["model.safetensors"]
    with pytest.raises(ModelRefused):
        load(ID, hub=True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", offline)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:1")
    assert failure()[0] == "hub"


def test_an_address_where_nobody_answers_is_told(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's own word for it is the detail."""
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:1")
    assert failure() == ("hub", "ConnectionRefusedError")


@pytest.mark.parametrize("name", ["someone/nothing", "some--one/nothing"])
def test_an_id_that_the_hub_does_not_know_is_told(name: str, hub: Hub) -> None:
    """Whether the hub says so, or its library, which knows what an id looks like."""
    assert failure(name)[0] == "hub_unknown"


@pytest.mark.parametrize("status", [401, 403])
def test_a_gated_model_is_told(status: int, hub: Hub) -> None:
    """What is missing is its owner's leave."""
    hub.gated = status
    assert failure() == ("hub_gated", f"HTTP {status}")


def test_a_hub_with_a_fault_of_its_own_is_told(hub: Hub) -> None:
    """It can be reached, but it does not work."""
    hub.is_down = True
    assert failure() == ("hub_error", "HTTP 503")


@pytest.mark.parametrize(("answer", "detail"), [(b"<html>", "JSONDecodeError"), (b"{}", "KeyError")])
def test_an_address_that_is_no_hub_is_told(answer: bytes, detail: str, hub: Hub) -> None:
    """A page or another service answers there: nothing was cut off, and trying again does not help."""
    hub.answer = answer
    assert failure() == ("hub_answer", detail)


def test_an_address_without_a_scheme_is_told(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can be reached there."""
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "huggingface.example")
    assert failure()[0] == "hub"


@pytest.mark.usefixtures("no_waiting")
def test_a_download_that_was_cut_off_goes_on(hub: Hub, hub_cache: Path, llama: CausalLM) -> None:
    """Nothing half-written is left; the next try takes what came whole, and survives a cut of its own."""
    hub.cuts, hub.down_after = 1, True
    assert failure() == ("hub_error", "HTTP 503")
    assert kept(hub_cache) == {"config.json", "generation_config.json", "tokenizer.json"}

    hub.is_down, hub.cuts, hub.down_after = False, 1, False
    hub.asked.clear()
    hub.resumed.clear()
    loaded = load(ID, hub=True)
    assert torch.equal(loaded.model.recompute_logits((1, 2, 3)), llama.recompute_logits((1, 2, 3)))
    assert (hub.given, len(hub.resumed)) == ({"model.safetensors"}, 1)
    assert 0 < hub.resumed[0] < len(hub.files["model.safetensors"])
    assert kept(hub_cache) == set(WANTED)


@pytest.mark.usefixtures("no_waiting")
def test_a_connection_that_breaks_again_and_again_is_told(hub: Hub, hub_cache: Path) -> None:
    """After some tries the library gives up."""
    hub.cuts = 1000
    assert failure()[0] == "hub_cut_off"
    assert kept(hub_cache) == {"config.json", "generation_config.json", "tokenizer.json"}


def test_a_folder_that_cannot_be_written_is_told(hub: Hub, hub_cache: Path) -> None:
    """It is not the hub's fault: here a file lies where the folder should be."""
    (hub_cache / f"models--{ID.replace('/', '--')}").write_text("", encoding="utf-8")
    assert failure()[0] == "disk"
    assert "model.safetensors" not in hub.given


def test_a_model_that_the_hub_gave_before_is_loaded(hub_cache: Path, model_folder: Path) -> None:
    """Without the hub too."""
    folder = hub_cache / f"models--{ID.replace('/', '--')}"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(COMMIT, encoding="utf-8")
    shutil.copytree(model_folder, folder / "snapshots" / COMMIT)
    assert load(ID, hub=True).name == ID


def test_without_leave_the_hub_is_not_asked(hub: Hub) -> None:
    """An id is no name then: a visitor's text never makes a download."""
    with pytest.raises(UnknownModel):
        load(ID)
    assert hub.asked == []


@pytest.mark.parametrize(("language", "word"), [("en", "could not be fetched"), ("zh", "没有取到")])
def test_the_command_line_asks_the_hub_of_the_environment(language: str, word: str, hub: Hub, hub_cache: Path) -> None:
    """One sentence, and no trace of Python's."""
    environment = os.environ | {"HF_ENDPOINT": hub.address, "HF_HOME": str(hub_cache)}
    command = [sys.executable, "-m", "radixviz", "prove", "--model", "someone/nothing", "--lang", language]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=False)
    *_, sentence = done.stderr.decode().splitlines()
    assert (done.returncode, word in sentence, "HTTP 404" in sentence) == (1, True, True)
    assert b"Traceback" not in done.stderr
    assert any("someone/nothing" in line for line in hub.asked)


@pytest.mark.parametrize(
    ("name", "can_be"),
    [(ID, True), ("HuggingFaceTB/SmolLM2-135M", True), ("gpt2", False), ("/tmp/x", False), ("../x", False),
     ("a/b/c", False), ("a/..", False), ("https://x/y", False), ("a/b c", False), ("", False)],
)  # fmt: skip
def test_an_id_is_an_owner_and_a_name(name: str, can_be: bool) -> None:
    """Paths and addresses are not asked of the hub."""
    assert is_hub_id(name) == can_be
