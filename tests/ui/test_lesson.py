from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from radixviz.errors import UnknownLesson
from radixviz.render.explain import explain
from radixviz.render.player_script import PLAYER_FOLDER
from radixviz.timeline import Timeline
from tests.ui.conftest import APP, OpenApp
from tests.ui.shown import given


def lesson(app: AppTest) -> list[dict[str, Any]]:
    """Return the data of what shows a lesson on the page."""
    found = (json.loads(component.proto.json) for component in app.get("bidi_component"))
    return [data for data in found if "states" in data]


def test_the_walker_gets_the_frames_of_the_lesson(open_app: OpenApp, timeline: Timeline) -> None:
    """Each state is a stage and a frame of the run that is shown; a stop is the author's."""
    app = open_app(lesson="class-45", lang="zh")
    (data,) = lesson(app)
    places = [(state["stage"], state["frame"]) for state in data["states"]]
    stops = {
        stage: [frame.stage_frame for frame in timeline.stage_frames(stage) if frame.stop is not None]
        for stage in timeline.stages()
    }
    assert (data["id"], data["lang"], data["scenario"], len(places)) == ("class-45", "zh", "nine-stages", 19)
    assert data["known"]
    assert places[0] == (0, 1)
    assert places[-1] == (9, stops[9][-1])
    assert all(frame in stops[stage] for stage, frame in places[1:])
    assert data["words"]["zh"]["lesson.next"] == "接下来："


def test_the_panel_leads_to_the_lesson(open_app: OpenApp) -> None:
    """In a tab of its own, for a whole room, in the languages that are shown."""
    (link,) = open_app(lang="both", stage="2").get("link_button")
    assert link.proto.url == "?lesson=class-45&present=1&lang=both"
    assert link.proto.label == "开始上课：“45 分钟讲完 RadixAttention”"


@pytest.mark.parametrize("name", ["ten", "../nine-stages", ""])
def test_an_unknown_lesson_is_named_and_the_tour_stays(open_app: OpenApp, name: str) -> None:
    """The page says which lessons there are; so does the presenter's window."""
    app = open_app(lesson=name, lang="en")
    assert (lesson(app), len(given(app)["frames"]) > 20) == ([], True)
    assert explain(UnknownLesson(name, ("class-45",)), "en").replace("_", r"\_") in app.error[0].value
    app = AppTest.from_file(str(APP), default_timeout=60)
    for key, value in {"lesson": name, "lang": "en", "presenter": "1"}.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    assert "class-45" in app.error[0].value


def test_the_presenter_window_has_the_notes_and_no_player() -> None:
    """It needs no model: notes, minutes and pauses of all states, in both languages."""
    app = AppTest.from_file(str(APP), default_timeout=60)
    for key, value in {"lesson": "class-45", "lang": "both", "presenter": "1"}.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    (data,) = lesson(app)
    assert len(app.get("bidi_component")) == 1
    assert data["lang"] == "both"
    assert sum(state["minutes"] for state in data["states"]) == 45
    assert [bool(state["pause"]) for state in data["states"]].count(True) == 3
    assert all(state["notes"][lang] for state in data["states"] for lang in ("en", "zh"))


def test_the_page_of_the_proof_has_the_walker_too() -> None:
    """It knows no frames: those are what the browser remembers of the tour."""
    app = AppTest.from_string("from radixviz.ui.pages.proof import show_proof\nshow_proof()\n", default_timeout=60)
    app.query_params["lesson"] = "class-45"
    app.query_params["lang"] = "en"
    app.run()
    assert not app.exception
    (data,) = lesson(app)
    assert [state["title"]["en"] for state in data["states"] if state["page"] == "proof"] == ["Same answer?"]
    assert (data["known"], data["words"]["en"]["lesson.page.proof"]) == (False, "the page “Same answer?”")


def test_what_a_lesson_adds_is_small() -> None:
    """Scripts, style sheets and markup of the walker and of the presenter's window take no more than 15 kB."""
    files: list[Path] = list((PLAYER_FOLDER / "lesson").iterdir())
    assert sum(len(path.read_bytes()) for path in files) <= 15_000
