"""The tour on a model that was taught nothing of it: stage by stage, with what is said, and freed when called off."""

from __future__ import annotations

import gc
import json
import shutil
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from radixviz.errors import ModelRefused
from radixviz.model.folder import TINY, locate
from radixviz.model.loader import load as load_model
from radixviz.model.tokenizer import TextTokenizer
from radixviz.render.explain import explain
from radixviz.render.player_data import PlayerIntro
from radixviz.render.words import say
from radixviz.scenario.schema import Scenario
from radixviz.ui import stepped_tour as stepped
from radixviz.ui import timeline_job as jobs
from radixviz.ui.components.plain_text import as_text
from radixviz.ui.components.stepping import ALL, CANCEL, NEXT
from radixviz.ui.offered_models import MODEL_VARIABLE
from radixviz.ui.pages import tour as tour_page
from radixviz.ui.stepped_tour import SteppedTour, SteppedTours, TourPlan, stepped_tours
from radixviz.ui.story import introduction
from tests.model.random_models import save_random_reader
from tests.ui.conftest import APP
from tests.ui.run_until import PATIENCE_SECONDS, run_until
from tests.ui.shown import awaited, given, place, steps_text

REWRITING = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant: (thinks){% endif %}"
)
REFUSING = "{{ raise_exception('no *system*') }}"


@pytest.fixture(scope="module")
def random_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a random model that reads with the tiny model's tokenizer."""
    return save_random_reader(tmp_path_factory.mktemp("models") / "random")


@pytest.fixture
def tours() -> Iterator[SteppedTours]:
    """Return tours that are called off when the test ends."""
    made = SteppedTours()
    yield made
    made.forget()


def plan_of(scenario: Scenario, source: Path | str) -> TourPlan:
    """Return the plan of the scenario on this model, with a pool that needs no dry runs."""
    return TourPlan(scenario, "random", str(source), scenario.page_size, 300)


def wait_until(done: Callable[[], object]) -> None:
    """Wait until this is so, at most a minute."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not done() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert done()


def test_stages_run_when_they_are_asked_for(tours: SteppedTours, scenario: Scenario, random_folder: Path) -> None:
    """One at first, then two more, then all; each reply has the scenario's length and was told as it came."""
    tour = tours.find(plan_of(scenario, random_folder))
    assert (tour.is_loaded, tour.is_working) == (False, False)
    tour.run_next()
    wait_until(lambda: not tour.is_working)
    assert (tour.told.stages, tour.told.stage, tour.is_loaded, tour.is_whole) == (1, 1, True, False)
    tour.run_next()
    wait_until(lambda: not tour.is_working)
    first = tour.told.timeline
    assert first is not None
    assert first.stages() == (1, 2)
    (view,) = first.last_frame(2).sequences
    request = scenario.request[0]
    assert len(view.token_ids) - view.prompt_len == request.reply_tokens
    decoded = TextTokenizer.from_folder(locate(TINY)).decode(view.token_ids[view.prompt_len :])
    assert tour.told.said == ((view.sequence_id, decoded),)
    tour.run_all()
    wait_until(lambda: not tour.is_loaded)
    whole = tour.told.timeline
    assert (tour.is_whole, tour.error) == (True, None)
    assert whole is not None
    assert whole.stages() == tuple(spec.stage for spec in scenario.stage)
    assert whole.run.model == "random"
    assert whole.frames[: len(first.frames)] == first.frames


def test_a_run_that_is_called_off_frees_its_model(
    tours: SteppedTours, scenario: Scenario, random_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it waits, and in the midst of a stage; afterwards it can begin anew."""
    loaded: list[weakref.ref[object]] = []

    def load(*args: object, **options: object) -> object:
        made = real(*args, **options)  # type: ignore[arg-type]
        loaded.append(weakref.ref(made.model.module))
        return made

    real = load_model
    monkeypatch.setattr(stepped, "load", load)
    tour = tours.find(plan_of(scenario, random_folder))
    tour.run_next()
    wait_until(lambda: not tour.is_working)
    tour.cancel()
    wait_until(lambda: not tour.is_loaded)
    assert (tour.was_cancelled, tour.told, tour.error) == (True, stepped.Told(), None)
    tour.run_all()
    wait_until(lambda: tour.told.said)
    tour.cancel()
    wait_until(lambda: not tour.is_loaded)
    gc.collect()
    assert [model() for model in loaded] == [None, None]
    assert tour.was_cancelled


def test_only_one_tour_holds_a_model(tours: SteppedTours, scenario: Scenario, random_folder: Path) -> None:
    """Whoever starts another one calls the first off."""
    first = tours.find(plan_of(scenario, random_folder))
    second = tours.find(TourPlan(scenario, "random", str(random_folder), 4, 80))
    assert tours.find(plan_of(scenario, random_folder)) is first
    first.run_next()
    wait_until(lambda: not first.is_working)
    second.run_next()
    wait_until(lambda: not second.is_working)
    assert (first.is_loaded, first.was_cancelled, second.is_loaded) == (False, True, True)


def test_a_template_that_rewrites_history_is_told(
    tours: SteppedTours, scenario: Scenario, random_folder: Path, tmp_path: Path
) -> None:
    """With the tokens that stay, and the first that differs; a template that keeps them says nothing."""
    folder = Path(shutil.copytree(random_folder, tmp_path / "random"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": REWRITING}), encoding="utf-8")
    tour = tours.find(plan_of(scenario, folder))
    tour.run_next()
    wait_until(lambda: not tour.is_working)
    turn = tour.told.rewritten
    assert turn is not None
    assert 0 < turn.shared < turn.length
    assert (turn.was, turn.now) == (" ", " Hi")
    assert tour.told.chat_refusal is None


@pytest.fixture
def page(random_folder: Path, monkeypatch: pytest.MonkeyPatch, timeline: object) -> Iterator[AppTest]:
    """Return the app with the random model configured, not yet run; the tiny model's tour is ready."""
    monkeypatch.setenv(MODEL_VARIABLE, str(random_folder))
    monkeypatch.setattr(jobs, "make_timeline", lambda *_: timeline)
    jobs.timeline_job.clear()
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["lang"] = "en"
    app.query_params["pool"] = "300"
    yield app
    stepped_tours().forget()
    jobs.timeline_job.clear()


def keys(app: AppTest) -> list[str | None]:
    """Return the buttons of the stepped run that are on the page."""
    return [button.key for button in app.button if button.key in (NEXT, ALL, CANCEL)]


def shown_stages(app: AppTest) -> int:
    """Return how many stages the player has."""
    return sum(stage["frames"] > 0 for stage in given(app)["stages"])


def run_stage(app: AppTest, key: str = NEXT) -> None:
    """Press a button, and run the page until the stage is there and the next one can be asked for."""
    stages = shown_stages(app) if CANCEL in keys(app) else 0
    app.button(key=key).click().run()
    run_until(app, lambda _: NEXT in keys(app) and shown_stages(app) == stages + 1)


def cancel(app: AppTest) -> None:
    """Call the run off, and run the page until its memory is free."""
    app.button(key=CANCEL).click().run()
    run_until(app, lambda _: NEXT in keys(app) and CANCEL not in keys(app))


def next_start() -> AppTest:
    """Return the app as it is after the process has ended: only what lies in the cache folder is left."""
    stepped_tours().forget()
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params.update({"lang": "en", "pool": "300"})
    return app


def kept_day(cache_folder: Path) -> str:
    """Return the day of the one run that is kept."""
    (kept,) = (cache_folder / "runs").iterdir()
    return time.strftime("%Y-%m-%d", time.localtime(kept.stat().st_mtime))


def test_the_page_runs_the_stages_one_by_one(page: AppTest, scenario: Scenario, random_folder: Path) -> None:
    """Nothing is loaded unasked; each stage comes to the player when it has run, and what it said stands beside it."""
    page.run()
    assert not page.exception
    assert (keys(page), given(page)["frames"]) == ([NEXT, ALL], [])
    assert len(given(page)["intro"]["prompts"]) == 3
    assert steps_text(page) == say("en", "steps.idle", model="random", all=10)
    run_stage(page)
    assert (keys(page), page.button(key=NEXT).label) == ([NEXT, ALL, CANCEL], "Run stage 2")
    run_stage(page)
    assert [stage["frames"] > 0 for stage in given(page)["stages"]][:4] == [True, True, False, False]
    ((name, reply),) = stepped_tours().find(plan_of(scenario, random_folder)).told.said
    told = say("en", "steps.loaded", model="random", done=2, all=10)
    assert steps_text(page).split() == f"{told} {name} {reply}".split()


def test_a_stage_that_ends_while_the_page_is_made_is_shown(
    page: AppTest, scenario: Scenario, random_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page sees that the run has gone on since it took the frames, and is made once more."""
    page.run()
    tour = stepped_tours().find(plan_of(scenario, random_folder))

    def introduce(*given: Any) -> PlayerIntro:
        wait_until(lambda: not tour.is_working)
        return introduction(*given)

    monkeypatch.setattr(tour_page, "introduction", introduce)
    page.button(key=NEXT).click().run()
    assert (shown_stages(page), keys(page)) == (1, [NEXT, ALL, CANCEL])


def test_a_stage_that_was_asked_for_is_shown_once_it_is_there(page: AppTest) -> None:
    """The player hears of each wish, and that the stage has run; after a cancel of none."""
    page.run()
    assert awaited(page) is None
    page.button(key=NEXT).click().run()
    assert (awaited(page) or {})["turn"] == 1
    run_until(page, lambda _: NEXT in keys(page))
    assert awaited(page) == {"stage": 1, "turn": 1, "is_there": True}
    run_stage(page)
    assert awaited(page) == {"stage": 2, "turn": 2, "is_there": True}
    run_stage(page)
    assert awaited(page) == {"stage": 3, "turn": 3, "is_there": True}
    cancel(page)
    assert awaited(page) is None


def test_of_all_stages_the_first_is_shown(page: AppTest) -> None:
    """The reader reads on from there while the others come."""
    page.run()
    page.button(key=ALL).click().run()
    run_until(page, lambda _: keys(page) == [])
    assert awaited(page) == {"stage": 1, "turn": 1, "is_there": True}


def test_whoever_did_not_ask_stays_where_he_is(page: AppTest) -> None:
    """Another reader of the same tour sees the stages come, and is not led to them."""
    page.run()
    other = AppTest.from_file(str(APP), default_timeout=60)
    other.query_params.update({"lang": "en", "pool": "300"})
    other.run()
    run_stage(page)
    other.run()
    assert (shown_stages(other), awaited(other)) == (1, None)


def test_the_stages_that_have_run_are_shown_at_the_next_start(page: AppTest, cache_folder: Path) -> None:
    """At once and with their day; nothing is loaded for it, and running on begins anew: one run at a time is shown."""
    page.run()
    for _ in range(3):
        run_stage(page)
    known = given(page)
    again = next_start()
    again.query_params["stage"] = "3"
    again.run()
    assert not again.exception
    assert (given(again), place(again), keys(again)) == (known, ("3", 1), [NEXT, ALL])
    assert steps_text(again) == say("en", "steps.kept", day=kept_day(cache_folder), done=3, all=10)
    assert "starts from stage 1" in steps_text(again)
    assert again.button(key=NEXT).label == say("en", "steps.again")
    again.button(key=NEXT).click().run()
    run_until(again, lambda _: CANCEL in keys(again) and NEXT in keys(again))
    assert (shown_stages(again), awaited(again)) == (1, {"stage": 1, "turn": 1, "is_there": True})
    assert given(again)["frames"] == known["frames"][:1]


def test_a_run_that_is_called_off_leaves_what_was_kept(page: AppTest, cache_folder: Path) -> None:
    """The longest so far: it is shown again, and the memory is free."""
    page.run()
    for _ in range(2):
        run_stage(page)
    known = given(page)
    cancel(page)
    run_stage(page)
    assert shown_stages(page) == 1
    cancel(page)
    assert given(page) == known
    assert steps_text(page) == " ".join(
        [
            say("en", "steps.cancelled", model="random"),
            say("en", "steps.kept", day=kept_day(cache_folder), done=2, all=10),
        ]
    )


@pytest.mark.parametrize("damage", [b"", b'{"digest": "d"', b"\xff\xfe"])
def test_a_damaged_run_is_replaced(page: AppTest, cache_folder: Path, damage: bytes) -> None:
    """There is nothing to show then, and the next stage that runs is kept in its place."""
    page.run()
    run_stage(page)
    (kept,) = (cache_folder / "runs").iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(damage)
    again = next_start()
    again.run()
    assert not again.exception
    assert given(again)["frames"] == []
    run_stage(again)
    assert kept.read_bytes() == whole


def test_a_stage_that_is_still_to_come_is_not_looked_for_in_a_kept_run(page: AppTest) -> None:
    """A link to it leads to the beginning, without an error."""
    page.run()
    run_stage(page)
    again = next_start()
    again.query_params.update({"stage": "5", "frame": "3"})
    again.run()
    assert not again.exception
    assert (shown_stages(again), place(again)) == (1, ("0", 1))


def test_the_page_shows_the_whole_tour_when_all_has_run(page: AppTest) -> None:
    """And the selector leads back to the tiny model, which has its own tour."""
    page.run()
    page.button(key=ALL).click().run()
    run_until(page, lambda _: keys(page) == [])
    assert all(stage["frames"] for stage in given(page)["stages"])
    page.radio[0].set_value("tiny").run()
    assert page.query_params["model"] in ("tiny", ["tiny"])
    run_until(page, lambda _: not keys(page) and given(page)["frames"])
    assert page.radio[0].value == "tiny"


def test_a_model_that_cannot_be_used_leaves_the_tiny_one(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, the tiny model's tour, and the buttons to try again."""
    refused = ModelRefused("random", "out_of_memory", "9 B > 1 B")

    def load(*_: object, **__: object) -> object:
        raise refused

    monkeypatch.setattr(stepped, "load", load)
    page.run()
    page.button(key=NEXT).click().run()
    run_until(page, lambda _: page.error and given(page)["frames"])
    assert not page.exception
    assert explain(refused, "en").split(":")[0] in page.error[0].value
    assert keys(page) == [NEXT, ALL]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_folder_that_turns_out_bad_is_told_when_it_runs(
    page: AppTest, random_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    """Its weights are no weights: one sentence names it and says so, and which run is shown instead."""
    folder = Path(shutil.copytree(random_folder, tmp_path / "models" / "random"))
    (folder / "model.safetensors").write_bytes(b"no weights")
    monkeypatch.setenv(MODEL_VARIABLE, str(folder))
    page.query_params["lang"] = lang
    page.run()
    assert [error.value for error in page.error] == []
    page.button(key=NEXT).click().run()
    run_until(page, lambda _: page.error and given(page)["frames"])
    assert not page.exception
    (error,) = page.error
    told = explain(ModelRefused(str(folder), "bad_weights", "DETAIL"), lang).partition("DETAIL")[0]
    assert error.value.startswith(f"**{say(lang, 'load.failed')}** {as_text(told)}")
    assert steps_text(page) == say(lang, "steps.instead", model="tiny")
    assert (keys(page), shown_stages(page)) == ([NEXT, ALL], 10)


def test_a_plan_is_what_tells_two_tours_apart(scenario: Scenario) -> None:
    """Only so many are remembered."""
    tours = SteppedTours()
    found = [tours.find(TourPlan(scenario, "random", "x", size, None)) for size in range(1, 7)]
    assert tours.find(found[-1].plan) is found[-1]
    assert isinstance(tours.find(found[0].plan), SteppedTour)
    assert tours.find(found[0].plan) is not found[0]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_says_that_a_chat_template_is_not_used(
    random_folder: Path, tmp_path: Path, page: AppTest, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    """In the template's own words, and the tour goes on with chats as plain text."""
    folder = Path(shutil.copytree(random_folder, tmp_path / "refusing"))
    (folder / "chat_template.jinja").write_text(REFUSING, encoding="utf-8")
    monkeypatch.setenv(MODEL_VARIABLE, str(folder))
    page.query_params["lang"] = lang
    page.run()
    page.button(key=NEXT).click().run()
    run_until(page, lambda _: keys(page) == [NEXT, ALL, CANCEL])
    page.button(key=NEXT).click().run()
    run_until(page, lambda _: len(given(page)["frames"]) > 1 and NEXT in keys(page))
    assert as_text(say(lang, "chat.plain", detail="no *system*")) in [caption.value for caption in page.caption]
    assert given(page)["intro"]["prompts"][0]["tokens"][0] == "You"
