"""The verb `lesson`: what it prints, and what it says to bad input."""

from __future__ import annotations

import pytest

from radixviz.__main__ import main
from radixviz.lesson_command import lesson_plan
from radixviz.scenario.lesson import Lesson, LessonState
from radixviz.scenario.schema import Words


def test_a_lesson_is_printed_with_the_time_at_which_each_state_begins() -> None:
    """Title, then for each state: begin, place, minutes, what the class does, what to say."""
    words = [Words(en=text, zh=text) for text in ("L", "Why", "Ask.", "Draw", "Wait.", "Draw it.")]
    plan = lesson_plan(
        Lesson(
            format=1,
            id="small",
            title=words[0],
            minutes=5,
            state=(
                LessonState(title=words[1], minutes=1, notes=words[2], stage=0),
                LessonState(title=words[3], minutes=4, notes=words[4], stage="encore", pause=words[5]),
            ),
        ),
        "en",
    )
    assert plan == (
        "L\n\n0:00  Why  (Stage 0, 1 minute)\n  Ask.\n\n1:00  Draw  (Encore, 4 minutes)\n  > Draw it.\n  Wait."
    )


def test_the_shipped_lesson_is_printed_in_either_language(capsys: pytest.CaptureFixture[str]) -> None:
    """The last state of class-45 begins after 41 minutes, behind the one on another page."""
    assert main(["lesson", "class-45", "--lang", "zh"]) == 0
    output = capsys.readouterr()
    assert output.out.startswith("45 分钟讲完 RadixAttention\n\n0:00  为什么")
    assert "\n39:00  回答一样吗？  (“回答一样吗？”页, 2 分钟)\n" in output.out
    assert "\n41:00  离场问题  (第 9 步, 4 分钟)\n" in output.out
    assert output.err == ""


@pytest.mark.parametrize(("given", "said"), [(["lesson", "ten"], "class-45"), (["lesson"], "lesson")])
def test_a_lesson_that_there_is_not_is_refused(given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One clear line with the names that are known, and exit status 2."""
    assert main(given) == 2
    output = capsys.readouterr()
    assert (output.out, len(output.err.splitlines())) == ("", 1)
    assert said in output.err
