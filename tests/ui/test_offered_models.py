"""Which models the page offers, and who may name one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from radixviz.command_line import UsageError
from radixviz.errors import ModelRefused, UnknownModel
from radixviz.model.folder import TINY, locate
from radixviz.render.explain import explain
from radixviz.ui.offered_models import MODEL_VARIABLE, absent_models, configured_model, find_models, offered_models
from tests.ui.conftest import OpenApp
from tests.ui.shown import given, notices


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a model of its own name."""
    return Path(shutil.copytree(locate(TINY).path, tmp_path / "mine"))


@pytest.mark.parametrize(
    ("argv", "variable", "configured"),
    [
        (["/a/app.py"], None, None),
        (["/a/app.py", "--model", "x"], "y", "x"),
        (["/a/app.py", "--model=owner/name"], None, "owner/name"),
        (["app.py"], "y", "y"),
        (["app.py"], "", None),
        (["pytest", "--model", "x"], None, None),
        ([], None, None),
    ],
)
def test_the_command_line_goes_before_the_environment(
    argv: list[str], variable: str | None, configured: str | None
) -> None:
    """Only words that Streamlit has handed to the app count."""
    environment = {} if variable is None else {MODEL_VARIABLE: variable}
    assert configured_model(argv, environment, "en") == configured


def test_a_word_that_means_nothing_is_named() -> None:
    """In the reader's language."""
    with pytest.raises(UsageError, match="--modle"):
        configured_model(["app.py", "--modle", "x"], {}, "zh")


def test_the_models_that_are_here_are_offered_and_the_configured_one_is_usual(folder: Path, cache_folder: Path) -> None:
    """A folder goes by its name; what is not here is told with the bytes of its download."""
    assert offered_models(None).sources == {"tiny": "tiny"}
    assert list(absent_models()) == ["smollm2"]
    offered = offered_models(str(folder))
    assert (offered.sources, offered.usual, offered.error) == ({"tiny": "tiny", "mine": str(folder)}, "mine", None)
    (cache_folder / "models" / "smollm2").mkdir(parents=True)
    assert (list(offered_models(None).sources), absent_models()) == (["tiny", "smollm2"], {})
    assert offered_models("owner/name").sources["owner/name"] == "owner/name"


def test_a_folder_that_is_called_like_a_known_model_keeps_its_whole_path(tmp_path: Path) -> None:
    """So that nobody takes it for that one."""
    folder = shutil.copytree(locate(TINY).path, tmp_path / "tiny")
    assert offered_models(str(folder)).usual == str(folder)


def test_a_configured_model_that_cannot_be_used_is_not_offered(folder: Path) -> None:
    """The reason is kept, and tiny stays."""
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    refused = offered_models(str(folder))
    assert (refused.sources, refused.usual) == ({"tiny": "tiny"}, "tiny")
    assert isinstance(refused.error, ModelRefused)
    assert refused.error.reason == "pickle"
    assert isinstance(offered_models("nowhere").error, UnknownModel)
    unfetched = offered_models("smollm2").error
    assert isinstance(unfetched, ModelRefused)
    assert unfetched.reason == "not_fetched"


def test_the_page_says_why_and_goes_on_with_the_tiny_model(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, and the whole tour."""
    monkeypatch.setenv(MODEL_VARIABLE, "nowhere")
    error = find_models().error
    assert isinstance(error, UnknownModel)
    app = open_app(lang="en", stage="3")
    assert not app.exception
    assert explain(error, "en") in app.error[0].value
    assert len(given(app)["frames"]) > 20


def test_an_address_names_no_folder(open_app: OpenApp, folder: Path) -> None:
    """Nor a hub's id: only names that are offered count."""
    for asked in (str(folder), "owner/name"):
        app = open_app(lang="en", model=asked)
        assert notices(app) == [f"There is no model “{asked}” here: this is tiny."]


def test_the_selector_has_the_models_and_what_fetching_takes(open_app: OpenApp) -> None:
    """In the row below the player."""
    app = open_app(lang="en")
    assert [radio.options for radio in app.radio] == [["tiny"]]
    assert any("93 MB" in text.value and "fetch smollm2" in text.value for text in app.markdown)


def test_the_page_of_the_proof_offers_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The configured one is chosen first, or the one that the address names."""
    monkeypatch.setenv(MODEL_VARIABLE, str(folder))
    app = AppTest.from_string("from radixviz.ui.pages.proof import show_proof\nshow_proof()\n", default_timeout=60)
    app.run()
    assert not app.exception
    chosen = app.selectbox(key="radixviz.proof.model")
    assert (chosen.options, chosen.value) == (["tiny", "mine"], "mine")
    app = AppTest.from_string("from radixviz.ui.pages.proof import show_proof\nshow_proof()\n", default_timeout=60)
    app.query_params["model"] = "tiny"
    assert app.run().selectbox(key="radixviz.proof.model").value == "tiny"
