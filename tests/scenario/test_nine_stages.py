from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest

from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.scenario.schema import Scenario, Words
from radixviz.timeline import MARKUP

LINE = 1200 / 11
"""Columns of one line: 1200 px at 22 px, where a Latin letter takes about half its size, a Chinese one all of it."""


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    """The shipped story."""
    return load_scenario(find_scenario("nine-stages"))


def sentences(scenario: Scenario) -> Iterator[Words]:
    """Yield all that the author says."""
    yield from (scenario.intro.say, scenario.intro.why)
    for stage in scenario.stage:
        for stop in stage.stops:
            yield from (stop.say, stop.why)


def columns(text: str) -> int:
    """Return the width of a sentence whose numbers have three digits."""
    shown = MARKUP.sub(lambda found: found["node"] or found["many"] or "123", text)
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in shown)


def test_there_are_nine_stages_and_an_encore(scenario: Scenario) -> None:
    """The stages ask the requests of the published figure, in its order."""
    assert [(stage.stage, stage.requests) for stage in scenario.stage] == [
        (1, ()),
        (2, ("A1",)),
        (3, ("A2",)),
        (4, ("B1",)),
        (5, ("B2",)),
        (6, ("F1",)),
        (7, ("F2", "F3")),
        (8, ("A3",)),
        (9, ("F4",)),
        ("encore", ("E1",)),
    ]


def test_all_letters_of_the_figure_are_bound(scenario: Scenario) -> None:
    """The letters a to l each come in the stage in which the figure shows them first."""
    bound = {spec.letter: stage.stage for stage in scenario.stage for spec in stage.letters}

    assert bound == {
        "a": 2, "b": 3, "c": 4, "d": 4, "e": 6, "f": 7, "g": 7, "h": 7, "i": 8, "j": 8, "k": 8, "l": 8,
    }  # fmt: skip


def test_the_figures_evictions_are_expected(scenario: Scenario) -> None:
    """Leaf c goes in stage 5, h and then g in stage 8, k, l and i in stage 9, and nothing else."""
    evicted = {stage.stage: stage.expect.evicted for stage in scenario.stage if stage.expect.evicted}

    assert evicted == {5: ("c",), 8: ("h", "g"), 9: ("k", "l", "i")}


def test_every_stage_has_a_stop(scenario: Scenario) -> None:
    """The story pauses one to five times in each stage."""
    assert [len(stage.stops) for stage in scenario.stage] == [1, 3, 2, 2, 3, 2, 2, 3, 5, 2]


def test_every_sentence_fits_two_lines(scenario: Scenario) -> None:
    """At 22 px no sentence needs a third line of 1200 px."""
    texts = [text for words in sentences(scenario) for text in (words.en, words.zh)]

    assert [text for text in texts if columns(text) > 2 * LINE - 20] == []


def test_both_languages_give_the_same_numbers_and_nodes(scenario: Scenario) -> None:
    """English and Chinese tell the same facts: what is filled in is the same, whatever its order."""

    def filled(text: str) -> list[tuple[str, str, str]]:
        marks = [found for found in MARKUP.finditer(text) if found["one"] is None]
        return sorted((found["value"] or "", found["role"] or "", found["node"] or "") for found in marks)

    assert [words.en for words in sentences(scenario) if filled(words.en) != filled(words.zh)] == []


def test_every_english_text_has_its_chinese(scenario: Scenario) -> None:
    """Each part of a request, and each reply, has a gloss."""
    without = [
        (request.id, part)
        for request in scenario.request
        for part in ("system", "user", "text", "reply", "replies")
        if getattr(request, part) and not getattr(request.gloss, part)
    ]

    assert without == []
