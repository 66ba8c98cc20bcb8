"""The app without a browser and without torch: its timeline comes from a dry run with the replies that were taught."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from radixviz.model.cache_folder import FOLDER_VARIABLE
from radixviz.model.folder import TINY, locate
from radixviz.model.tokenizer import TextTokenizer
from radixviz.scenario.dry_run import dry_run
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.scenario.schema import Scenario
from radixviz.timeline import Timeline
from radixviz.ui import timeline_job as jobs
from tests.ui.run_until import run_until
from tests.ui.shown import given

APP = Path(__file__).resolve().parents[2] / "app.py"
OpenApp = Callable[..., AppTest]


@pytest.fixture(scope="session")
def scenario() -> Scenario:
    """Return the nine stages."""
    return load_scenario(find_scenario("nine-stages"))


@pytest.fixture(scope="session")
def timeline(scenario: Scenario) -> Timeline:
    """Return the tour as the engine plays it with the replies that the tiny model was taught."""
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    played = dry_run(scenario, tokenizer, page_size=scenario.page_size, pool_pages=scenario.pool_pages)
    return replace(played, run=replace(played.run, device="cpu", kv_bytes_per_token=3072))


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let no run of another test, or of the user, be shown; return the folder where this test's runs are kept."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    return tmp_path


@pytest.fixture
def open_app(timeline: Timeline, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenApp]:
    """Return a function that opens the app at an address, with the timeline ready."""
    monkeypatch.setattr(jobs, "make_timeline", lambda *_: timeline)
    jobs.timeline_job.clear()
    yield _open
    jobs.timeline_job.clear()


def _open(**address: str) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=60)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    run_until(app, lambda app: given(app)["frames"])
    return app
