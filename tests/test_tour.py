"""The tour on the shipped model: the figure's letters, at page sizes 1 and 4, and what happens at 16."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import msgspec
import pytest

from radixviz.model.loader import LoadedModel, load
from radixviz.render.report import evicted_ids, output_text, run_report
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.scenario.schema import Scenario
from radixviz.timeline import Frame, Timeline
from radixviz.tour import play_on_model

EVICTED = {1: [], 2: [], 3: [], 4: [], 5: ["c"], 6: [], 7: [], 8: ["h", "g"], 9: ["k", "l", "i"], "encore": []}
LETTERS = {
    1: "", 2: "a", 3: "b", 4: "bcd", 5: "bcd", 6: "bde", 7: "befgh", 8: "bfghijkl", 9: "bfijkl", "encore": "bfj",
}  # fmt: skip


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    """The shipped story."""
    return load_scenario(find_scenario("nine-stages"))


@pytest.fixture(scope="module")
def loaded() -> LoadedModel:
    """The shipped model."""
    return load("tiny")


@pytest.fixture(scope="module")
def played(scenario: Scenario, loaded: LoadedModel) -> Iterator[object]:
    """The tour, played once for each page size."""

    @cache
    def play(page_size: int) -> Timeline:
        return play_on_model(scenario, loaded, page_size=page_size)

    return play  # type: ignore[return-value]


def _evicted(timeline: Timeline) -> dict[object, list[str | None]]:
    return {
        stage: [timeline.last_frame(stage).labels[node].letter for node in evicted_ids(timeline.stage_frames(stage))]
        for stage in timeline.stages()
    }


def _letters(frame: Frame) -> str:
    return "".join(sorted(mark.letter for mark in frame.labels.values() if mark.letter))


@pytest.mark.parametrize("page_size", [1, 4])
def test_every_expectation_of_the_story_comes_true(played, page_size: int) -> None:  # type: ignore[no-untyped-def]
    """Hits, looks, splits, letters and evictions are those that the scenario names, in its order."""
    timeline = played(page_size)

    assert timeline.unmet == ()
    assert _evicted(timeline) == EVICTED


@pytest.mark.parametrize("page_size", [1, 4])
def test_requests_hit_where_the_figure_says(played, page_size: int) -> None:  # type: ignore[no-untyped-def]
    """Stages 3, 4, 5, 7, 8 and 9 reuse something, stages 2 and 6 nothing."""
    timeline = played(page_size)
    hits = {stage: [view.cached_tokens > 0 for view in timeline.last_frame(stage).sequences] for stage in range(2, 10)}

    assert hits == {
        2: [False], 3: [True], 4: [True], 5: [True], 6: [False], 7: [True] * 2, 8: [True], 9: [True] * 4,
    }  # fmt: skip


def test_the_pool_of_the_scenario_is_300_pages_of_one_token(played) -> None:  # type: ignore[no-untyped-def]
    """At page size 1 the tour runs in its own pool, at 4 in one that the dry run found."""
    assert (played(1).run.pool_pages, played(1).run.page_size) == (300, 1)
    assert 69 <= played(4).run.pool_pages <= 80


@pytest.mark.parametrize("page_size", [1, 4, 16])
def test_pages_add_up_at_every_stage(played, page_size: int) -> None:  # type: ignore[no-untyped-def]
    """Free, cached and locked pages are the whole pool, in every stage's report and in every frame."""
    timeline = played(page_size)
    for stage in run_report(timeline, "en")["stages"]:
        pool = stage["pool"]
        assert pool["free"] + pool["cached"] + pool["locked"] == pool["total"] == timeline.run.pool_pages
    for frame in timeline.frames:
        states = ("free", "cached", "locked", "running")
        assert sum(frame.pool.count(state) for state in states) == frame.pool.total


def test_page_size_16_says_which_expectation_fails(played) -> None:  # type: ignore[no-untyped-def]
    """A shared system prompt shorter than a page cannot be shared: the story says so and plays what really happens."""
    timeline = played(16)
    b1 = timeline.last_frame(4).sequences[0]

    assert (b1.prefix_len, b1.cached_tokens) == (0, 0)
    assert ("hit", "B1", "> 0", "0") in [(u.kind, u.subject, u.expected, u.found) for u in timeline.unmet]
    assert len(timeline.stages()) == 10


def test_every_reply_comes_from_the_model(scenario: Scenario, loaded: LoadedModel, played) -> None:  # type: ignore[no-untyped-def]
    """With every taught reply of the scenario file replaced by nonsense, the same words are said."""
    nonsense = tuple(
        msgspec.structs.replace(request, reply=request.reply and "?", replies=tuple("?" for _ in request.replies))
        for request in scenario.request
    )
    timeline = play_on_model(msgspec.structs.replace(scenario, request=nonsense), loaded)

    assert _answers(timeline) == _answers(played(1))


def _answers(timeline: Timeline) -> dict[str, str]:
    views = [view for stage in timeline.stages() for view in timeline.last_frame(stage).sequences]
    return {view.sequence_id: output_text(timeline, view) for view in views}


def test_the_model_says_exactly_what_it_was_taught(scenario: Scenario, played) -> None:  # type: ignore[no-untyped-def]
    """Each answer is the scenario's text; the first one is "Hi!", and the samples open in four ways."""
    answers = _answers(played(1))
    taught = {
        sequence_id: reply
        for request in scenario.request
        for sequence_id, reply in zip(request.sequence_ids(), request.replies or (request.reply,), strict=True)
    }

    assert answers == taught
    assert answers["A1"] == "Hi!"
    openings = [" ".join(answers[f"F4#{sample}"].split()[:2]) for sample in range(1, 5)]
    assert openings == ["This is", "Let us", "We can", "To solve"]


def test_the_encore_reuses_a_sampled_answer(played) -> None:  # type: ignore[no-untyped-def]
    """The sample's node is a hit, and the match reaches to the end of its answer."""
    last = played(1).last_frame("encore")
    looks = {mark.name: mark.look for mark in last.labels.values()}

    assert (looks["S3"], looks["E1"]) == ("hit", "new")


def test_what_was_evicted_is_computed_again(played) -> None:  # type: ignore[no-untyped-def]
    """In stage 8 all of c's tokens are wanted again, and the match says where they had been."""
    timeline = played(1)
    match = timeline.stage_frames(8)[0]
    ghost = timeline.last_frame(5).ghosts[0].node

    assert [(missing.letter, missing.name, missing.evicted_in_stage) for missing in match.missing] == [("c", "A2", 5)]
    assert timeline.last_frame(8).sequences[0].count("again") == len(ghost.token_ids)


def test_names_stay_with_their_nodes(played) -> None:  # type: ignore[no-untyped-def]
    """The old answer is badged as a repeat of sample 1, the recomputed turn and the new one share a node."""
    timeline = played(1)
    nine = {mark.name: (mark.look, mark.repeats) for mark in timeline.last_frame(9).labels.values()}

    assert nine["Ans + S1"] == ("cached", 1)
    assert nine["What"] == ("hit", None)
    assert "A2 + A3" in [mark.name for mark in timeline.last_frame(8).labels.values()]
    assert all(mark.name for frame in timeline.frames for mark in frame.labels.values())


@pytest.mark.parametrize("page_size", [1, 4])
def test_letters_are_those_of_the_figure(played, page_size: int) -> None:  # type: ignore[no-untyped-def]
    """Each stage ends with the figure's letters, ghosts included; some it names only in a later stage."""
    timeline = played(page_size)

    assert {stage: _letters(timeline.last_frame(stage)) for stage in timeline.stages()} == LETTERS


def test_another_model_replies_in_the_scenario_s_lengths(scenario: Scenario, loaded: LoadedModel) -> None:
    """A model that was not taught the replies does not end them: each is as long as the scenario says."""
    timeline = play_on_model(scenario, replace(loaded, name="another"), pool_pages=400)
    views = [view for stage in timeline.stages() for view in timeline.last_frame(stage).sequences]
    wanted = {
        name: length
        for spec in scenario.request
        for name, length in zip(spec.sequence_ids(), spec.reply_lengths(), strict=True)
    }

    assert {view.sequence_id: view.output_len for view in views} == wanted
    assert not any(view.stop_token for view in views if view.output_len > 3)


def test_what_is_told_on_the_way_is_the_beginning_of_the_whole(scenario: Scenario, loaded: LoadedModel) -> None:
    """After each stage but the last the timeline so far has the frames of the whole, up to there."""
    told: list[Timeline] = []
    whole = play_on_model(scenario, loaded, on_timeline=told.append)
    assert [part.stages() for part in told] == [whole.stages()[:count] for count in range(1, len(whole.stages()))]
    assert all(part.frames == whole.frames[: len(part.frames)] for part in told)
    assert all(part.token_bytes.items() <= whole.token_bytes.items() for part in told)
