from __future__ import annotations

from pathlib import Path

import pytest

from radixviz.errors import BadLesson, UnknownLesson
from radixviz.scenario.lesson import Lesson, LessonState, find_lesson, lesson_names, load_lesson
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.scenario.schema import Words

SMALL = """
format = 1
id = "small"
title = { en = "Small", zh = "小" }
minutes = 5

[[state]]
title = { en = "Why", zh = "为什么" }
minutes = 2
stage = 0
notes = { en = "Ask.", zh = "问。" }

[[state]]
title = { en = "Evict", zh = "淘汰" }
minutes = 3
stage = 5
stop = 2
lang = "both"
ask = false
pause = { en = "Draw.", zh = "画。" }
notes = { en = "Wait.", zh = "等。" }
"""


def load(folder: Path, text: str) -> Lesson:
    """Load this text."""
    path = folder / "small.toml"
    path.write_text(text, encoding="utf-8")
    return load_lesson(path)


def test_a_lesson_is_read_with_all_its_parts(tmp_path: Path) -> None:
    """Every field arrives, what is left out has its default, a byte order mark and CRLF make no difference."""
    lesson = load(tmp_path, SMALL)
    assert (lesson.id, lesson.title, lesson.minutes) == ("small", Words(en="Small", zh="小"), 5)
    assert lesson.state[0] == LessonState(
        title=Words(en="Why", zh="为什么"), minutes=2, notes=Words(en="Ask.", zh="问。"), stage=0
    )
    second = lesson.state[1]
    assert (second.stage, second.stop, second.frame, second.lang, second.ask) == (5, 2, None, "both", False)
    assert second.pause == Words(en="Draw.", zh="画。")
    assert load(tmp_path, "\ufeff" + SMALL.replace("\n", "\r\n")) == lesson


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("stage = 5", "stage = 12", ("state 2", "stage", "unknown", "12")),
        ("stage = 5", 'stage = "coda"', ("state 2", "stage", "type", "int | str, got coda")),
        ("stop = 2", "stop = 4", ("state 2", "stop", "unknown", "4")),
        ("stop = 2", 'stop = 2\npage = "tour"', ("state 2", "page", "unknown", "tour")),
        ("stop = 2", "stop = 0", ("state 2", "stop", "limit", "1")),
        ("stop = 2", "stop = 2\nframe = 3", ("state 2", "frame", "misplaced", "")),
        ("stage = 0", "stage = 0\nstop = 1", ("state 1", "stop", "unknown", "1")),
        ("stop = 2", 'stop = 2\nscenario = "ten"', ("state 2", "scenario", "unknown", "ten")),
        ("minutes = 3", "minutes = 4", ("", "minutes", "sum", "6")),
        ("minutes = 3", "minutes = 0", ("state 2", "minutes", "limit", "1")),
        ('"both"', '"fr"', ("state 2", "lang", "unknown", "fr")),
        ('zh = "等。"', 'zh = " "', ("state 2", "notes.zh", "empty", "")),
        ('en = "Draw."', 'en = ""', ("state 2", "pause.en", "empty", "")),
        ('title = { en = "Evict", zh = "淘汰" }\n', "", ("state 2", "title", "missing", "")),
        ("ask = false", "answer = false", ("state 2", "answer", "field", "")),
        ("format = 1", "format = 2", ("", "format", "unknown", "2")),
        ('id = "small"', 'id = ""', ("", "id", "empty", "")),
    ],
)
def test_a_fault_is_named_with_its_state_and_field(
    tmp_path: Path, old: str, new: str, fault: tuple[str, str, str, str]
) -> None:
    """The first fault is an error with the file, the state's number, the field, the problem and the value."""
    assert old in SMALL
    with pytest.raises(BadLesson) as raised:
        load(tmp_path, SMALL.replace(old, new))
    error = raised.value
    if fault[2] == "type":
        assert (error.where, error.field) == fault[:2]
    else:
        assert (error.file, error.where, error.field, error.problem, error.detail) == ("small.toml", *fault)


def test_a_lesson_without_a_state_or_a_file_is_refused(tmp_path: Path) -> None:
    """There must be something to show, and something to read."""
    head = SMALL[: SMALL.index("[[state]]")]
    with pytest.raises(BadLesson) as empty:
        load(tmp_path, head.replace("minutes = 5", "minutes = 5\nstate = []"))
    with pytest.raises(BadLesson) as missing:
        load_lesson(tmp_path / "none.toml")
    assert (empty.value.field, empty.value.problem) == ("state", "empty")
    assert (missing.value.problem, missing.value.detail) == ("unreadable", "ENOENT")


def test_lessons_are_found_by_name(tmp_path: Path) -> None:
    """A name is that of a file in the folder, and an unknown one is refused with those that are known."""
    (tmp_path / "one.toml").touch()
    assert find_lesson("one", tmp_path) == tmp_path / "one.toml"
    with pytest.raises(UnknownLesson) as caught:
        find_lesson("../one", tmp_path)
    assert caught.value.facts() == {"name": "../one", "known": ("one",)}


@pytest.mark.parametrize("name", lesson_names())
def test_every_shipped_lesson_can_be_given(name: str) -> None:
    """It loads, its id is its file's name, and its minutes add up."""
    lesson = load_lesson(find_lesson(name))
    assert lesson.id == name
    assert sum(state.minutes for state in lesson.state) == lesson.minutes


def test_class_45_has_what_it_promises() -> None:
    """45 minutes: why, nine stages in order, worksheets before 6 and 7, the proof, an exit question."""
    lesson = load_lesson(find_lesson("class-45"))
    scenario = load_scenario(find_scenario("nine-stages"))
    assert lesson.minutes == 45
    stages = list(dict.fromkeys(state.stage for state in lesson.state))
    assert stages == [0, *(spec.stage for spec in scenario.stage if spec.stage != "encore")]
    pairs = zip(lesson.state, lesson.state[1:], strict=False)
    pauses = [(state.title.en, following.stage) for state, following in pairs if state.pause]
    assert pauses == [("Worksheet: stage 6", 6), ("Worksheet: stage 7", 7)]
    assert [(state.page, state.title.en) for state in lesson.state[-3:-1]] == [
        (None, "Three old leaves go"),
        ("proof", "Same answer?"),
    ]
    assert lesson.state[-1].title.en == "Exit question"
    assert lesson.state[-1].pause is not None
