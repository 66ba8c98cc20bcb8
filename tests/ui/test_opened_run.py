from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from radixviz.errors import NotTimeline, TimelineCutOff, TimelineTooNew
from radixviz.render.explain import explain
from radixviz.render.export import timeline_json
from radixviz.render.export.timeline_json import write_timeline
from radixviz.render.words import say
from radixviz.timeline import Timeline
from radixviz.ui.components.files_panel import BACK
from radixviz.ui.components.plain_text import as_text
from radixviz.ui.opened_run import opened_with
from radixviz.ui.state import Opened
from tests.render.small_timeline import frame, node, timeline
from tests.ui.conftest import OpenApp
from tests.ui.shown import given, notices, place, start

NAME = "时间线 *1*.json"
BOM = b"\xef\xbb\xbf"


def small() -> Timeline:
    """Return a run of two frames in one stage."""
    return timeline(
        frame([node(1, None, "ab")], stage=2), frame([node(1, None, "ab")], stage=2, index=1, stage_frame=2)
    )


def upload(app: AppTest, data: bytes, name: str = NAME) -> AppTest:
    """Give the page a file."""
    app.file_uploader[0].set_value((name, data, "application/json")).run()
    assert not app.exception
    return app


def test_an_opened_file_is_shown_until_the_reader_goes_back(open_app: OpenApp) -> None:
    """The player has its frames and says its name; a rerun shows the same; the way back ends at the live tour."""
    app = open_app(lang="zh")
    live = given(app)
    assert start(app)["opened"] is False
    data = BOM + json.dumps(json.loads(write_timeline(small())), indent=1).replace("\n", "\r\n").encode()
    upload(app, data)
    for _ in range(2):
        assert (given(app)["scenario"], len(given(app)["frames"])) == ("small", 2)
        assert notices(app, "zh") == [say("zh", "files.shown", name=NAME)]
        assert start(app)["opened"] is True
        app.run()
    app.button(key=BACK).click().run()
    assert given(app) == live
    assert notices(app) == []
    assert BACK not in [button.key for button in app.button]
    upload(app, data)
    assert given(app)["scenario"] == "small"


@pytest.mark.parametrize("first", [None, b"good"])
def test_a_file_that_cannot_be_opened_leaves_what_was_there(open_app: OpenApp, first: bytes | None) -> None:
    """One sentence says what is wrong with it; the live tour, or the file that was opened before, stays."""
    app = open_app(lang="en", stage="2")
    if first is not None:
        upload(app, write_timeline(small()), "good.json")
    before = given(app), place(app)
    upload(app, b"[1, 2]")
    assert (given(app), place(app)) == before
    assert [error.value for error in app.error] == [as_text(explain(NotTimeline(NAME, "radixviz_timeline"), "en"))]
    assert [caption.value for caption in app.caption] == (
        [] if first is None else [say("en", "files.shown", name="good.json")]
    )
    upload(app, write_timeline(small()), "good.json")
    assert app.error == []


def test_each_fault_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut off, of a newer version, not UTF-8, too large: each is what `read_timeline` says."""
    data, shown = write_timeline(small()), Opened(small(), "a.json")
    newer = data.replace(b'timeline":1', b'timeline":9', 1)
    faults = {data[:-9]: TimelineCutOff, newer: TimelineTooNew, b"\xff" + data: NotTimeline}
    for bad, kind in faults.items():
        opened = opened_with(shown, bad, "b.json")
        assert type(opened.fault) is kind
        assert replace(opened, fault=None) == shown
    monkeypatch.setattr(timeline_json, "MOST_BYTES", 10)
    opened = opened_with(shown, data, "b.json")
    assert opened.fault is not None
    assert opened.fault.facts() == {"file": "b.json", "size": len(data), "limit": 10}


def test_the_panel_offers_each_kind_of_file(open_app: OpenApp) -> None:
    """Eight files of the server, each under a key of its own; the picture of a frame is drawn by the browser."""
    app = open_app(stage="5", frame="2", lang="en")
    assert [button.label for button in app.download_button] == [
        say("en", key) for key in ("files.html", "files.json", "files.gif", "files.webp")
    ] + [say("en", key) for key in ("handout.handout", "handout.worksheet", "handout.key", "files.svg")]
    (picture,) = [data for data in map(_data, app.get("bidi_component")) if "svg" in data]
    assert picture["name"] == "nine-stages-5.2-en.png"
    assert "Stage 5 · Evict · Step 2 / " in picture["svg"]


def test_the_projector_view_has_no_panel_and_both_languages_are_printed_together(open_app: OpenApp) -> None:
    """A room sees the figure alone; where both languages are shown the printed pages have both."""
    assert open_app(present="1", stage="5").download_button == []
    app = open_app(lang="both", stage="5", frame="2")
    assert [button.label for button in app.download_button][4:7] == ["讲义", "练习", "答案"]
    (picture,) = [data for data in map(_data, app.get("bidi_component")) if "svg" in data]
    assert picture["name"] == "nine-stages-5.2-zh.png"


def test_what_a_file_is_called_is_never_markdown() -> None:
    """Nothing that a name may hold becomes a link, a colour, a formula, a list or emphasis."""
    assert as_text("[a](b) *c* _d_ `e` $f$ :red[g] <h> ~i~") == (
        r"\[a\](b) \*c\* \_d\_ \`e\` \$f\$ \:red\[g\] \<h> \~i\~"
    )
    assert [as_text(text) for text in ("# a", "- a", "> a", "a: b - c")] == [r"\# a", r"\- a", r"\> a", "a: b - c"]


def _data(component: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(component.proto.json)
    return found
