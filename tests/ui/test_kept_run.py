from __future__ import annotations

import threading
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from radixviz.scenario.schema import Scenario
from radixviz.timeline import Timeline
from radixviz.ui import kept_run
from radixviz.ui import timeline_job as jobs
from radixviz.ui.components.player import PlayerText
from radixviz.ui.kept_run import keep_run, read_run, run_key
from tests.ui.conftest import APP, OpenApp
from tests.ui.run_until import run_until
from tests.ui.shown import given, place

TEXT = PlayerText.of({"digest": "d", "stages": [{"stage": 1, "first": 0, "frames": 1, "stops": []}]})


def test_a_kept_run_is_read_back() -> None:
    """The same text, digest and stages, under its own key only."""
    keep_run("key", TEXT)
    kept = read_run("key")
    assert kept is not None
    assert (kept.text, read_run("other"), read_run("")) == (TEXT, None, None)


@pytest.mark.parametrize("damage", [b"", b'{"digest": "d"', b"[]", b"{}", b"\xff\xfe"])
def test_a_damaged_file_is_no_run(cache_folder: Path, damage: bytes) -> None:
    """Cut off, empty, or something else: then there is nothing to show, and no error."""
    keep_run("key", TEXT)
    (cache_folder / "runs" / "key.json").write_bytes(damage)
    assert read_run("key") is None


def test_the_oldest_runs_are_forgotten(cache_folder: Path) -> None:
    """Eight runs stay, and nothing half-written lies beside them."""
    for number in range(10):
        keep_run(f"key{number}", TEXT)
    assert len(list((cache_folder / "runs").iterdir())) == 8


def test_where_nothing_can_be_written_nothing_is_kept(cache_folder: Path) -> None:
    """A file stands where the folder should be: the page goes on without."""
    (cache_folder / "runs").write_text("in the way", encoding="utf-8")
    keep_run("key", TEXT)
    assert read_run("key") is None


def test_a_key_is_for_one_model_scenario_and_pool(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another pool, page size, layout engine or library gives another key; the same gives the same."""
    engine = Path("/bin/dot")
    key = run_key(scenario, "tiny", 1, 300, engine)
    others = [
        run_key(scenario, "tiny", 1, 301, engine),
        run_key(scenario, "tiny", 4, 300, engine),
        run_key(scenario, "tiny", 1, 300, None),
    ]
    monkeypatch.setattr(kept_run, "_version", lambda _: "0")
    others.append(run_key(scenario, "tiny", 1, 300, engine))
    assert len({key, *others}) == 5
    monkeypatch.undo()
    assert run_key(scenario, "tiny", 1, 300, engine) == key
    assert run_key(scenario, "no-such-model", 1, 300, engine) == ""


def test_the_last_run_is_shown_while_the_model_loads(
    open_app: OpenApp, timeline: Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link is followed at once, a line says which run this is, and the model's own run then takes its place."""
    st.cache_resource.clear()  # else the text that another test has made is not written again
    whole = given(open_app())
    jobs.timeline_job.clear()
    go_on = threading.Event()

    def make(*_: object) -> Timeline:
        go_on.wait(20)
        return timeline

    monkeypatch.setattr(jobs, "make_timeline", make)
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params.update({"stage": "3", "frame": "2"})
    app.run()
    (bar,) = app.get("progress")
    assert not app.exception
    assert (given(app), place(app)) == (whole, ("3", 2))
    assert bar.proto.text.startswith("Shown until then: this machine's run of ")
    go_on.set()
    run_until(app, lambda app: not app.get("progress"))
    assert (given(app), place(app)) == (whole, ("3", 2))
