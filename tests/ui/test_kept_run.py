from __future__ import annotations

import os
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
from radixviz.ui.kept_run import keep_run, model_files, read_run, run_key
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


def test_a_run_that_another_process_forgets_meanwhile_is_no_fault(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is gone between the look into the folder and the look at its time."""
    monkeypatch.setattr(Path, "glob", lambda folder, _: [folder / "key.json", folder / "gone.json"])
    monkeypatch.setattr(kept_run, "_MOST_KEPT", 1)
    keep_run("key", TEXT)
    assert [file.name for file in (cache_folder / "runs").iterdir()] == ["key.json"]


def test_where_nothing_can_be_written_nothing_is_kept(cache_folder: Path) -> None:
    """A file stands where the folder should be: the page goes on without."""
    (cache_folder / "runs").write_text("in the way", encoding="utf-8")
    keep_run("key", TEXT)
    assert read_run("key") is None


def test_a_key_is_for_one_model_scenario_and_pool(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another pool, page size, layout engine or library gives another key; the same gives the same."""
    engine, files = Path("/bin/dot"), model_files("tiny")
    key = run_key(scenario, "tiny", files, 1, 300, engine)
    others = [
        run_key(scenario, "tiny", files, 1, 301, engine),
        run_key(scenario, "tiny", files, 4, 300, engine),
        run_key(scenario, "tiny", files, 1, 300, None),
        run_key(scenario, "other", files, 1, 300, engine),
    ]
    monkeypatch.setattr(kept_run, "_version", lambda _: "0")
    others.append(run_key(scenario, "tiny", files, 1, 300, engine))
    assert len({key, *others}) == 6
    monkeypatch.undo()
    assert run_key(scenario, "tiny", files, 1, 300, engine) == key
    assert run_key(scenario, "no-such-model", model_files("no-such-model"), 1, 300, engine) == ""


@pytest.mark.parametrize("most_read", [2**20, 8])
def test_a_key_is_for_the_models_weights(
    scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_read: int
) -> None:
    """Whether they are read whole or, being large, at both ends with their size and time."""
    monkeypatch.setattr(kept_run, "_MOST_READ", most_read)
    monkeypatch.setattr(kept_run, "_ENDS_READ", 4)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    weights = tmp_path / "model.safetensors"

    def key_of(content: bytes) -> str:
        weights.write_bytes(content)
        os.utime(weights, ns=(0, 0))
        return run_key(scenario, "folder", model_files(str(tmp_path)), 1, 300, None)

    key = key_of(b"0123456789")
    assert key_of(b"0123456789") == key
    assert len({key, key_of(b"x123456789"), key_of(b"012345678x"), key_of(b"0123456780123456789")}) == 4
    weights.write_bytes(b"0123456789")
    os.utime(weights, ns=(1, 1))
    later = run_key(scenario, "folder", model_files(str(tmp_path)), 1, 300, None)
    assert (later == key) == (most_read > 8)


def test_a_model_that_the_hub_gave_has_files(
    scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An id is looked up in what the hub's library has kept; without that there is no key."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    assert model_files("someone/some-model") == ()
    kept = tmp_path / "models--someone--some-model"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("0" * 40, encoding="utf-8")
    (kept / "snapshots" / ("0" * 40)).mkdir(parents=True)
    (kept / "snapshots" / ("0" * 40) / "config.json").write_text("{}", encoding="utf-8")
    assert [file.path.name for file in model_files("someone/some-model")] == ["config.json"]


@pytest.mark.parametrize(("before", "after", "left"), [(1, 2, 2), (2, 1, 2), (2, 2, 2)])
def test_the_run_of_most_stages_stays(before: int, after: int, left: int) -> None:
    """The same key gives the same frames, so the shorter is its beginning."""
    for stages in (before, after):
        keep_run("key", _run_of(stages))
    kept = read_run("key")
    assert kept is not None
    assert kept.text == _run_of(left)


def _run_of(stages: int) -> PlayerText:
    rows = [{"stage": n + 1, "first": n, "frames": int(n < stages), "stops": []} for n in range(3)]
    return PlayerText.of({"digest": str(stages), "stages": rows})


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
