"""Models of the hub."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from radixviz.errors import FetchFailed, UnknownModel
from radixviz.model.hub import is_hub_id
from radixviz.model.loader import HUB, STEPS, load

ID = "someone/some-model"
REVISION = "0" * 40


@pytest.fixture(autouse=True)
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which the hub's library keeps models, empty; the hub itself is out of reach."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    return tmp_path


def test_a_hub_that_cannot_be_reached_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    """The model and the reason are named."""
    with pytest.raises(FetchFailed) as failed:
        load(ID, hub=True)
    assert (failed.value.model, failed.value.reason) == (ID, "hub")
    assert "Traceback" not in capfd.readouterr().err


def test_a_model_that_the_hub_gave_before_is_loaded(hub_cache: Path, model_folder: Path) -> None:
    """The id is its name, and asking the hub is a step of its own."""
    kept = hub_cache / f"models--{ID.replace('/', '--')}"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text(REVISION, encoding="utf-8")
    shutil.copytree(model_folder, kept / "snapshots" / REVISION)
    told: list[str] = []
    assert load(ID, hub=True, progress=told.append).name == ID
    assert tuple(told) == (HUB, *STEPS)


def test_without_leave_the_hub_is_not_asked() -> None:
    """An id is no name then: a visitor's text never makes a download."""
    with pytest.raises(UnknownModel):
        load(ID)


@pytest.mark.parametrize(
    ("name", "can_be"),
    [(ID, True), ("HuggingFaceTB/SmolLM2-135M", True), ("gpt2", False), ("/tmp/x", False), ("../x", False),
     ("a/b/c", False), ("a/..", False), ("https://x/y", False), ("a/b c", False), ("", False)],
)  # fmt: skip
def test_an_id_is_an_owner_and_a_name(name: str, can_be: bool) -> None:
    """Paths and addresses are not asked of the hub."""
    assert is_hub_id(name) == can_be
