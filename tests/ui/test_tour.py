from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from radixviz.errors import ModelRefused
from radixviz.render.explain import explain
from radixviz.render.layout import find_engine
from radixviz.render.player_data import PlayerIntro, player_data
from radixviz.render.words import say, words
from radixviz.scenario.player import OnTimeline
from radixviz.scenario.schema import Scenario
from radixviz.timeline import Timeline, Unmet
from radixviz.ui import player_text as texts
from radixviz.ui import story as stories
from radixviz.ui import timeline_job as jobs
from radixviz.ui.pages import tour
from radixviz.ui.story import introduction
from tests.scenario.templated import templated
from tests.ui.conftest import APP, OpenApp
from tests.ui.run_until import run_until
from tests.ui.shown import given, lang, notices, place, start


@pytest.fixture
def no_jobs() -> Iterator[None]:
    """Let the test begin and end without a timeline of somebody else."""
    jobs.timeline_job.clear()
    yield
    jobs.timeline_job.clear()


def test_the_browser_gets_the_whole_tour(open_app: OpenApp, timeline: Timeline, scenario: Scenario) -> None:
    """All frames of the timeline, with the introduction, at once."""
    app = open_app()
    made = player_data(timeline, find_engine(), introduction(scenario))
    assert not app.exception
    assert given(app) == json.loads(json.dumps(made))
    assert place(app) == ("0", 1)


@pytest.mark.parametrize("stage", ["1", "5", "9", "encore"])
def test_a_link_lands_where_it_says(open_app: OpenApp, stage: str) -> None:
    """Stage, frame and language of the address are where the reader begins."""
    app = open_app(stage=stage, frame="1", lang="zh")
    assert (place(app), lang(app), notices(app)) == ((stage, 1), "zh", [])


def test_a_changed_address_is_followed(open_app: OpenApp) -> None:
    """The page reads the address, which the browser has changed, whenever it runs."""
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
        ({"stage": "2", "ask": "yes"}, ("2", 1), ["“ask” is 0 or 1, but not “yes”."]),
        (
            {"scenario": "ten-stages", "stage": "2", "model": "huge"},
            ("2", 1),
            ["There is no scenario “ten-stages”: this is nine-stages.", "There is no model “huge” here: this is tiny."],
        ),
        (
            {"stage": "2", "page_size": "0", "pool": "many"},
            ("2", 1),
            [
                "page_size is a whole number from 1 to 300, but not “0”: here it is 1.",
                "pool is a whole number from 1 to 2000, but not “many”: it is left as it was.",
            ],
        ),
    ],
)
def test_an_address_that_does_not_exist_lands_nearby(
    open_app: OpenApp, address: dict[str, str], landed: tuple[str, int], said: list[str]
) -> None:
    """The nearest state there is, with a word about it."""
    app = open_app(**address)
    assert not app.exception
    assert (place(app), notices(app)) == (landed, said)


def test_a_link_says_how_it_is_seen(open_app: OpenApp) -> None:
    """Both languages, without questions, for a room."""
    begun = start(open_app(stage="5", lang="both", ask="0", present="1"))
    assert (begun["lang"], begun["both"], begun["ask"], begun["present"]) == ("zh", True, False, True)
    begun = start(open_app(stage="5", lang="en"))
    assert (begun["lang"], begun["both"], begun["ask"], begun["present"]) == ("en", False, True, False)


@pytest.mark.parametrize(
    ("address", "played"),
    [
        ({}, (1, 300)),
        ({"pool": "280"}, (1, 280)),
        ({"page_size": "4"}, (4, None)),
        ({"page_size": "16", "pool": "40"}, (16, 40)),
        ({"page_size": "none"}, (1, 300)),
    ],
)
@pytest.mark.usefixtures("no_jobs")
def test_a_link_says_what_is_played(
    monkeypatch: pytest.MonkeyPatch, timeline: Timeline, address: dict[str, str], played: tuple[int, int | None]
) -> None:
    """Page size and pool of the address go to the model; another page size alone leaves the pool to dry runs."""
    asked = []

    def make(_scenario: object, _model: str, page_size: int, pages: int | None, *_: object) -> Timeline:
        asked.append((page_size, pages))
        return timeline

    monkeypatch.setattr(jobs, "make_timeline", make)
    app = AppTest.from_file(str(APP), default_timeout=60)
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    run_until(app, lambda _: asked)
    assert not app.exception
    assert asked == [played]


def test_what_the_story_expected_in_vain_is_said(
    monkeypatch: pytest.MonkeyPatch, open_app: OpenApp, timeline: Timeline
) -> None:
    """Below the player, in the reader's language: with another pool the tour may tell another story."""
    unmet = (Unmet(4, "hit", "F4#1", "> 0", "0"), Unmet(5, "evicted", "", "c", ""))
    monkeypatch.setattr(jobs, "make_timeline", lambda *_: replace(timeline, unmet=unmet))
    app = open_app(stage="5", lang="zh", pool="299")
    (told,) = app.expander
    assert (told.label, told.proto.expanded) == (say("zh", "unmet.lead"), True)
    assert [caption.value for caption in told.caption] == [
        "- 第 4 步：F4 的样本 1 没有复用任何 token，预期会复用。\n- 第 5 步：什么都没有淘汰，预期淘汰 c。"
    ]


def test_a_long_list_of_it_is_folded(monkeypatch: pytest.MonkeyPatch, open_app: OpenApp, timeline: Timeline) -> None:
    """One sentence stands for it until the reader opens it."""
    unmet = (Unmet(5, "evicted", "", "c", ""),) * 7
    monkeypatch.setattr(jobs, "make_timeline", lambda *_: replace(timeline, unmet=unmet))
    (told,) = open_app(stage="5", lang="en", pool="299").expander
    assert told.proto.expanded is False
    assert told.caption[0].value.count("- Stage 5: nothing was evicted; the story expects c to go.") == 7


def test_the_introduction_shows_the_shared_beginning(open_app: OpenApp) -> None:
    """Three prompts that begin with the same tokens; no model is needed for them."""
    intro = given(open_app())["intro"]
    beginnings = {"".join(prompt["tokens"][: intro["shared"]]) for prompt in intro["prompts"]}
    assert len(intro["prompts"]) == 3
    assert beginnings == {"You are a helpful assistant.⏎User:"}


@pytest.mark.usefixtures("no_jobs")
def test_progress_is_shown_while_the_model_loads(monkeypatch: pytest.MonkeyPatch, timeline: Timeline) -> None:
    """The introduction is there at once, the stages have names only, and the step that is being done is named."""
    arrived, go_on = threading.Event(), threading.Event()

    def make(_scenario: object, _model: str, _size: int, _pages: int, tell: jobs.Tell, _: OnTimeline) -> Timeline:
        tell("weights", 0.7)
        arrived.set()
        go_on.wait(20)
        return timeline

    monkeypatch.setattr(jobs, "make_timeline", make)
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["stage"] = "3"
    app.run()
    assert arrived.wait(10)
    app.run()
    (bar,) = app.get("progress")
    assert (bar.proto.value, bar.proto.text) == (70, f"Getting ready: {words('en')['load.weights']}")
    assert (place(app), given(app)["frames"]) == (("0", 1), [])
    assert [stage["stage"] for stage in given(app)["stages"]] == list(timeline.stages())
    go_on.set()
    run_until(app, lambda app: given(app)["frames"])
    assert place(app) == ("3", 1)


@pytest.mark.parametrize(
    ("address", "landed"),
    [({"stage": "2", "frame": "3"}, ("2", 3)), ({"stage": "5", "frame": "2"}, ("0", 1))],
)
@pytest.mark.usefixtures("no_jobs")
def test_the_first_stages_are_shown_while_the_others_run(
    monkeypatch: pytest.MonkeyPatch, timeline: Timeline, address: dict[str, str], landed: tuple[str, int]
) -> None:
    """A link to one of them is followed at once; a later one waits at the introduction, and is followed then."""
    go_on = threading.Event()
    begun = tuple(frame for frame in timeline.frames if frame.stage in {1, 2})

    def make(_scenario: object, _model: str, _size: int, _pages: int, _tell: jobs.Tell, show: OnTimeline) -> Timeline:
        show(replace(timeline, frames=begun[:1]))  # stage 1 has no request: nothing to look at yet
        show(replace(timeline, frames=begun))
        go_on.wait(20)
        return timeline

    monkeypatch.setattr(jobs, "make_timeline", make)
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params.update(address)
    app.run()
    run_until(app, lambda app: given(app)["frames"])
    assert (len(given(app)["frames"]), len(app.get("progress"))) == (len(begun), 1)
    assert [stage["frames"] for stage in given(app)["stages"]][:4] == [1, 6, 0, 0]
    assert (place(app), notices(app)) == (landed, [])
    go_on.set()
    run_until(app, lambda app: not app.get("progress"))
    assert (len(given(app)["frames"]), place(app)) == (len(timeline.frames), (address["stage"], int(address["frame"])))


@pytest.mark.usefixtures("no_jobs")
@pytest.mark.parametrize("fault", [None, ModelRefused("tiny", "pickle", "")])
def test_a_run_that_ends_while_the_page_is_made_is_shown(
    monkeypatch: pytest.MonkeyPatch, timeline: Timeline, fault: ModelRefused | None
) -> None:
    """Whether it came to its end or to a fault: the page sees that it has changed, and is made once more."""
    go_on = threading.Event()

    def make(*_: object) -> Timeline:
        go_on.wait(60)
        if fault is not None:
            raise fault
        return timeline

    def introduce(*given: Any) -> PlayerIntro:
        job = jobs.timeline_job("nine-stages", "tiny", 1, 300, given[0])
        go_on.set()
        while job.running:
            job.start()
            time.sleep(0.01)
        return introduction(*given)

    monkeypatch.setattr(jobs, "make_timeline", make)
    monkeypatch.setattr(tour, "introduction", introduce)
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.run()
    assert (len(given(app)["frames"]), len(app.error)) == ((len(timeline.frames), 0) if fault is None else (0, 1))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.usefixtures("no_jobs")
def test_a_model_that_is_refused_is_explained(monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    """A sentence in the reader's language and a way to try again, never a traceback."""
    refused = ModelRefused("tiny", "no_weights", "")

    def make(*_: object) -> Timeline:
        raise refused

    monkeypatch.setattr(jobs, "make_timeline", make)
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["lang"] = language
    app.run()
    run_until(app, lambda app: app.error)
    assert not app.exception
    assert explain(refused, language) in app.error[0].value
    assert place(app) == ("0", 1)


@pytest.mark.usefixtures("no_jobs")
def test_a_lost_tokenizer_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """The introduction comes without its prompts, and the page says what is missing."""
    lost = ModelRefused("tiny", "no_tokenizer", "")

    def fail(*_: object) -> Timeline:
        raise lost

    monkeypatch.setattr(stories, "tiny_tokenizer", fail)
    stories._introduction.clear()
    monkeypatch.setattr(jobs, "make_timeline", fail)
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["lang"] = "en"
    app.run()
    run_until(app, lambda app: app.error)
    assert not app.exception
    assert (place(app), given(app)["intro"]["prompts"]) == (("0", 1), [])
    assert explain(lost, "en") in app.error[0].value


def test_without_graphviz_there_is_a_plain_chart(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """No frame has a layout, so that the player shows its text tree; Streamlit's own chart stands below."""
    monkeypatch.setattr(tour, "find_engine", lambda: None)
    app = open_app(stage="3", frame="6")
    assert {frame["layout"] for frame in given(app)["frames"]} == {None}
    assert [caption.value for caption in app.caption] == [words("en")["tree.no_graphviz"]]
    (chart,) = app.get("graphviz_chart")
    assert len(re.findall(r"^\t[1-9]\d* \[label=", chart.proto.spec, flags=re.M)) == 2


def test_all_sessions_share_one_timeline(
    open_app: OpenApp, timeline: Timeline, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model is loaded, the scenario played and the text written once, whoever comes."""
    made = []

    def make(*_: object) -> Timeline:
        made.append(1)
        return timeline

    monkeypatch.setattr(jobs, "make_timeline", make)
    open_app()
    open_app()
    assert made == [1]
    engine = find_engine()
    intro = introduction(scenario)
    assert texts.player_text(timeline, engine, intro) is texts.player_text(timeline, engine, intro)


def test_the_introduction_is_in_the_tokens_of_a_model_that_the_hub_gave(
    scenario: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As its own template writes them, as soon as it is here; until then they are the tiny model's."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    stories._introduction_of.clear()
    assert introduction(scenario, "someone/some-model") == introduction(scenario)
    kept = tmp_path / "models--someone--some-model"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text("0" * 40, encoding="utf-8")
    (kept / "snapshots" / ("0" * 40)).mkdir(parents=True)
    templated(kept / "snapshots" / ("0" * 40))
    first, *_ = introduction(scenario, "someone/some-model").prompts
    assert first.tokens[0] == b"<|im_start|>"
