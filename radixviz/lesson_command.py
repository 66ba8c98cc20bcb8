"""The verb `lesson`: print a lesson's states with the time at which each begins, and the speaker's notes."""

from __future__ import annotations

from collections.abc import Sequence

from radixviz.command_line import Command
from radixviz.introduction import both
from radixviz.render.words import LANGUAGES, say
from radixviz.scenario.lesson import Lesson, LessonState, find_lesson, load_lesson

OK = 0


def lesson(words: Sequence[str], language: str) -> int:
    """Run the verb; return the exit status.

    Raises UsageError, or RadixVizError for a lesson that there is not or that cannot be read.
    """
    options = _lesson_command(language).read(words, required=("lesson",))
    print(lesson_plan(load_lesson(find_lesson(options.lesson)), language))
    return OK


def lesson_plan(lesson: Lesson, lang: str) -> str:
    """Return the lesson as a page of plain text."""
    begin, parts = 0, [both(lesson.title)[lang]]
    for state in lesson.state:
        parts.append(_told(state, begin, lang))
        begin += state.minutes
    return "\n\n".join(parts)


def _told(state: LessonState, begin: int, lang: str) -> str:
    minutes = say(lang, "lesson.minutes", n=state.minutes)
    pause = [f"  > {both(state.pause)[lang]}"] if state.pause else []
    return "\n".join(
        [
            f"{begin}:00  {both(state.title)[lang]}  ({_place(state, lang)}, {minutes})",
            *pause,
            f"  {both(state.notes)[lang]}",
        ]
    )


def _place(state: LessonState, lang: str) -> str:
    if state.page is not None:
        return say(lang, f"lesson.page.{state.page}")
    return say(lang, "stage.encore") if state.stage == "encore" else say(lang, "stage", stage=state.stage)


def _lesson_command(language: str) -> Command:
    command = Command("lesson", language)
    command.argument("lesson")
    command.option("--lang", LANGUAGES[0], known=", ".join(LANGUAGES))
    return command
