"""A lesson: states of the page in the order in which a lecturer shows them, with minutes and speaker's notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from radixviz.errors import BadLesson, UnknownLesson, UnknownScenario
from radixviz.scenario.fault import Fault, empty_faults, words_faults
from radixviz.scenario.loader import FOLDER as SCENARIOS
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.scenario.schema import Scenario, Words
from radixviz.scenario.toml_file import TomlKind, failed, read_toml
from radixviz.timeline import StageKey

FOLDER = SCENARIOS / "lessons"
INTRO = 0
"""The stage before the first."""
Minutes = Annotated[int, Meta(ge=1, le=600)]
_KIND = TomlKind(BadLesson, {"state": ""})


class LessonState(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One state of the app: a stage of a scenario (0 is its introduction), and where in it.

    `stop` is an author's stop of the stage, from 1, `frame` a frame, from 1; with neither it is the first frame.
    `page` is another page of the app than the tour; the way back from it leads to the stage.
    `lang` and `ask` are changed only where they are given. `pause` is what the class reads while it works by itself.
    """

    title: Words
    minutes: Minutes
    notes: Words
    scenario: str = "nine-stages"
    page: Literal["proof"] | None = None
    stage: StageKey
    stop: Annotated[int, Meta(ge=1)] | None = None
    frame: Annotated[int, Meta(ge=1)] | None = None
    lang: Literal["en", "zh", "both"] | None = None
    ask: bool | None = None
    pause: Words | None = None


class Lesson(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A lesson of so many minutes, which its states add up to."""

    format: int
    id: str
    title: Words
    minutes: Minutes
    state: tuple[LessonState, ...]


def lesson_names(folder: Path = FOLDER) -> tuple[str, ...]:
    """Return the names of the shipped lessons."""
    return tuple(path.stem for path in sorted(folder.glob("*.toml")))


def find_lesson(name: str, folder: Path = FOLDER) -> Path:
    """Return the file of a shipped lesson.

    Raises UnknownLesson, with the names that are known.
    """
    known = lesson_names(folder)
    if name not in known:
        raise UnknownLesson(name, known)
    return folder / f"{name}.toml"


def load_lesson(path: Path, scenario: Callable[[str], Scenario] | None = None) -> Lesson:
    """Return the lesson in a UTF-8 TOML file; `scenario` finds the scenarios that it names (None: the shipped ones).

    Raises:
        BadLesson: the file cannot be read, its shape is wrong, or it names a state that there is not.
        BadScenario: a scenario that it names is at fault.
    """
    lesson = read_toml(path, Lesson, _KIND)
    for fault in _faults(lesson, scenario or (lambda name: load_scenario(find_scenario(name)))):
        raise failed(path, fault, _KIND)
    return lesson


def _faults(lesson: Lesson, scenario: Callable[[str], Scenario]) -> Iterator[Fault]:
    yield from empty_faults("", id=lesson.id)
    yield from words_faults("", "title", lesson.title)
    if not lesson.state:
        yield Fault("", "state", "empty")
    known: dict[str, Scenario] = {}
    for number, state in enumerate(lesson.state, 1):
        where = f"state {number}"
        yield from _word_faults(where, state)
        if state.scenario not in known:
            try:
                known[state.scenario] = scenario(state.scenario)
            except UnknownScenario:
                yield Fault(where, "scenario", "unknown", state.scenario)
                continue
        yield from _place_faults(where, state, known[state.scenario])
    total = sum(state.minutes for state in lesson.state)
    if total != lesson.minutes:
        yield Fault("", "minutes", "sum", str(total))


def _word_faults(where: str, state: LessonState) -> Iterator[Fault]:
    yield from words_faults(where, "title", state.title)
    yield from words_faults(where, "notes", state.notes)
    if state.pause is not None:
        yield from words_faults(where, "pause", state.pause)


def _place_faults(where: str, state: LessonState, scenario: Scenario) -> Iterator[Fault]:
    """Check that there is such a stage and stop; how many frames a stage has is known only once it has run."""
    stage = next((spec for spec in scenario.stage if spec.stage == state.stage), None)
    if stage is None and state.stage != INTRO:
        yield Fault(where, "stage", "unknown", str(state.stage))
    if state.stop is not None and state.frame is not None:
        yield Fault(where, "frame", "misplaced")
    if state.stop is not None and state.stop > (len(stage.stops) if stage else 0):
        yield Fault(where, "stop", "unknown", str(state.stop))
