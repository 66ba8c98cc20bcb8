from __future__ import annotations

import re
import threading

import pytest
from streamlit.testing.v1 import AppTest

from radixviz.cache.snapshot import PageState
from radixviz.errors import ModelRefused
from radixviz.render.explain import explain
from radixviz.render.narrate import narrate, plain
from radixviz.render.words import words
from radixviz.timeline import Timeline
from radixviz.ui import timeline_job as jobs
from radixviz.ui.pages import tour
from tests.ui.conftest import APP, OpenApp
from tests.ui.shown import counts, nodes, notices, place, player, sentence, text

STATES: tuple[PageState, ...] = ("free", "cached", "locked", "running")
NEXT, BACK, LANGUAGE = "radixviz-next", "radixviz-back", "radixviz-language"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_next_goes_through_the_whole_tour(open_app: OpenApp, timeline: Timeline, lang: str) -> None:
    """From the introduction on, every press shows the next frame: its sentence, its nodes, its pages, its numbers."""
    app = open_app(lang=lang)
    assert place(app) == ("0", 1)
    for frame in timeline.frames:
        app.button(key=NEXT).click().run()
        assert not app.exception
        assert place(app) == (str(frame.stage), frame.stage_frame)
        assert sentence(app) == plain(narrate(timeline, frame, lang).say)
        marks = {key: frame.labels[key] for key in frame.labels}
        drawn = [*frame.tree.nodes, *(ghost.node for ghost in frame.ghosts)]
        assert sorted(nodes(app)) == sorted(
            (
                marks[node.node_id].name or "",
                marks[node.node_id].letter or "",
                marks[node.node_id].look,
                len(node.token_ids),
            )
            for node in drawn
        )
        assert counts(app) == {state: frame.pool.count(state) for state in STATES if frame.pool.count(state)}
    app.button(key=NEXT).click().run()
    assert place(app) == ("encore", timeline.frames[-1].stage_frame)


def test_the_stages_tell_the_story(open_app: OpenApp, timeline: Timeline) -> None:
    """At the end of each stage the tree is that of the design: who is new, hit, evicted."""
    app = open_app()
    looks = {}
    for stage in timeline.stages():
        app.button(key=f"radixviz-stage-{stage}").click().run()
        app.slider(key="radixviz.frame").set_value(len(timeline.stage_frames(stage))).run() if stage != 1 else None
        looks[stage] = {name: look for name, _, look, _ in nodes(app) if look != "cached"}
    assert looks[1] == {}
    assert looks[2] == {"A1": "new"}
    assert looks[3] == {"A1": "hit", "A2": "new"}
    assert looks[4] == {"SYS": "hit", "B1": "new"}
    assert looks[5] == {"SYS": "hit", "B1": "hit", "A2": "evicted", "B2": "new"}
    assert looks[6] == {"What": "new"}
    assert looks[7] == {"EX": "hit", "When": "new", "How": "new"}
    assert [name for name, look in looks[8].items() if look == "evicted"] == ["B2", "B1"]
    assert [name for name, look in looks[9].items() if look == "evicted"] == ["A2 + A3", "When", "How"]


def test_back_undoes_next(open_app: OpenApp) -> None:
    """Forward twice and back twice is the introduction again, where Back stays."""
    app = open_app()
    for key in (NEXT, NEXT, BACK):
        app.button(key=key).click().run()
    assert place(app) == ("1", 1)
    app.button(key=BACK).click().run()
    app.button(key=BACK).click().run()
    assert place(app) == ("0", 1)


def test_the_slider_chooses_a_frame_of_the_stage(open_app: OpenApp, timeline: Timeline) -> None:
    """It spans the frames of the stage and follows the buttons."""
    app = open_app(stage="5")
    slider = app.slider(key="radixviz.frame")
    assert (slider.min, slider.max, slider.value) == (1, len(timeline.stage_frames(5)), 1)
    slider.set_value(4).run()
    assert place(app) == ("5", 4)
    app.button(key=NEXT).click().run()
    assert (place(app), app.slider(key="radixviz.frame").value) == (("5", 5), 5)


def test_the_language_is_switched_where_one_is(open_app: OpenApp, timeline: Timeline) -> None:
    """The frame stays, the words change, the button offers the other language."""
    app = open_app(stage="4", frame="2")
    assert app.button(key=LANGUAGE).label == "中文"
    app.button(key=LANGUAGE).click().run()
    assert place(app) == ("4", 2)
    assert sentence(app) == plain(narrate(timeline, timeline.stage_frames(4)[1], "zh").say)
    assert app.button(key=LANGUAGE).label == "English"
    assert app.query_params == {"stage": "4", "frame": "2", "lang": "zh"}


def test_the_address_is_a_link_to_what_is_shown(open_app: OpenApp) -> None:
    """Every step writes stage, frame and language; an address with them lands there."""
    app = open_app(lang="zh")
    app.button(key="radixviz-stage-encore").click().run()
    app.button(key=NEXT).click().run()
    assert app.query_params == {"stage": "encore", "frame": "2", "lang": "zh"}
    there = open_app(stage="encore", frame="2", lang="zh")
    assert (place(there), sentence(there)) == (place(app), sentence(app))


def test_a_changed_address_is_followed(open_app: OpenApp) -> None:
    """A link opened in a running session, or the browser's Back, shows what it says."""
    app = open_app(stage="3")
    app.query_params["stage"] = "7"
    app.query_params["frame"] = "2"
    app.run()
    assert place(app) == ("7", 2)


@pytest.mark.parametrize(
    ("address", "landed", "said"),
    [
        ({"stage": "77"}, ("9", 1), ["There is no stage “77”: this is stage 9."]),
        ({"stage": "-3"}, ("0", 1), ["There is no stage “-3”: this is stage 0."]),
        ({"stage": "<b>"}, ("0", 1), ["There is no stage “<b>”: this is stage 0."]),
        ({"stage": "1", "frame": "5"}, ("1", 1), ["There is no step “5” here: this is step 1 of 1."]),
        ({"stage": "2", "frame": "0"}, ("2", 1), ["There is no step “0” here: this is step 1 of 6."]),
        ({"stage": "2", "frame": "x"}, ("2", 1), ["There is no step “x” here: this is step 1 of 6."]),
        ({"stage": "2", "lang": "fr"}, ("2", 1), ["There is no language “fr”."]),
        ({"stage": "2", "frame": "3", "lang": "en"}, ("2", 3), []),
    ],
)
def test_an_address_that_does_not_exist_lands_nearby(
    open_app: OpenApp, address: dict[str, str], landed: tuple[str, int], said: list[str]
) -> None:
    """The nearest state there is, with a word about it that the next step takes away."""
    app = open_app(**address)
    assert not app.exception
    assert (place(app), notices(app)) == (landed, said)
    app.button(key=NEXT).click().run()
    assert notices(app) == []


def test_the_introduction_shows_the_shared_beginning(open_app: OpenApp) -> None:
    """Three prompts, each with the same tokens underlined; no model is needed for it."""
    app = open_app(lang="en")
    strips = re.findall(r'<section class="rv-strip">(.*?)</section>', player(app))
    shared = [re.findall(r'data-kind="shared">(.*?)</span>', strip) for strip in strips]
    assert len(shared) == 3
    assert shared[0] == shared[1] == shared[2]
    assert "".join(text(token) for token in shared[0]) == "You are a helpful assistant.⏎User:"


def test_progress_is_shown_while_the_model_loads(monkeypatch: pytest.MonkeyPatch, timeline: Timeline) -> None:
    """The introduction is there at once; Next waits, and the step that is being done is named."""
    arrived, go_on = threading.Event(), threading.Event()

    def make(_scenario: object, _model: str, _page_size: int, _pages: int, tell: jobs.Tell) -> Timeline:
        tell("weights", 0.7)
        arrived.set()
        go_on.wait(20)
        return timeline

    monkeypatch.setattr(jobs, "make_timeline", make)
    jobs.timeline_job.clear()
    app = AppTest.from_file(str(APP), default_timeout=20)
    app.query_params["stage"] = "3"
    app.run()
    assert arrived.wait(10)
    app.run()
    (bar,) = app.get("progress")
    assert (bar.proto.value, bar.proto.text) == (70, f"Getting ready: {words('en')['load.weights']}")
    assert (place(app), app.button(key=NEXT).disabled) == (("0", 1), True)
    go_on.set()
    for _ in range(100):
        if not app.button(key=NEXT).disabled:
            break
        app.run()
    assert place(app) == ("3", 1)
    jobs.timeline_job.clear()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_model_that_is_refused_is_explained(monkeypatch: pytest.MonkeyPatch, lang: str) -> None:
    """A sentence in the reader's language and a way to try again, never a traceback."""
    refused = ModelRefused("tiny", "no_weights", "")

    def make(*_: object) -> Timeline:
        raise refused

    monkeypatch.setattr(jobs, "make_timeline", make)
    jobs.timeline_job.clear()
    app = AppTest.from_file(str(APP), default_timeout=20)
    app.query_params["lang"] = lang
    app.run()
    for _ in range(100):
        if app.error:
            break
        app.run()
    assert not app.exception
    assert explain(refused, lang) in app.error[0].value
    assert place(app) == ("0", 1)
    jobs.timeline_job.clear()


def test_a_lost_tokenizer_is_no_traceback(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """The introduction comes without its prompts."""

    def lost(*_: object) -> None:
        raise ModelRefused("tiny", "no_tokenizer", "")

    monkeypatch.setattr(tour, "intro_prompts", lost)
    app = open_app()
    assert not app.exception
    assert place(app) == ("0", 1)


def test_without_graphviz_the_tree_is_text_and_a_plain_chart(
    open_app: OpenApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A note says so; the text tree and Streamlit's own chart take the picture's place."""
    monkeypatch.setattr(tour, "find_engine", lambda: None)
    app = open_app(stage="3", frame="6")
    assert "data-no-graphviz" in player(app)
    (chart,) = app.get("graphviz_chart")
    assert len(re.findall(r"^\t[1-9]\d* \[label=", chart.proto.spec, flags=re.M)) == 2
    assert "└─ A1 b" in text(player(app))


def test_all_sessions_share_one_timeline(
    open_app: OpenApp, timeline: Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is loaded and the scenario played once, whoever comes."""
    made = []

    def make(*_: object) -> Timeline:
        made.append(1)
        return timeline

    monkeypatch.setattr(jobs, "make_timeline", make)
    open_app()
    open_app()
    assert made == [1]
