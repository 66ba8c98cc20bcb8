"""The lesson that the address asks for, and what the browser needs of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from radixviz.introduction import both
from radixviz.render.words import LANGUAGES, words
from radixviz.scenario.lesson import Lesson, LessonState, find_lesson, load_lesson
from radixviz.ui.components.player import PlayerText

_WORDS = ("lesson.", "stage")


@st.cache_resource(show_spinner=False)
def lesson_named(name: str) -> Lesson:
    """Return a shipped lesson, shared by all sessions.

    Raises UnknownLesson, BadLesson, BadScenario.
    """
    return load_lesson(find_lesson(name))


def lesson_data(lesson: Lesson, lang: str, scenario: str, text: PlayerText | None = None) -> Mapping[str, Any]:
    """Return the lesson as JSON values; `lang` and `scenario` are what the page shows where the address names none.

    A stop is a frame of `text`; without it, as on another page, and before it has frames (`known` is false), it is
    the first.
    """
    return {
        "id": lesson.id,
        "lang": lang,
        "scenario": scenario,
        "known": text is not None and any(frames for _, frames in text.stages.values()),
        "words": {lang: {key: words(lang)[key] for key in words(lang) if key.startswith(_WORDS)} for lang in LANGUAGES},
        "states": [_state(state, text) for state in lesson.state],
    }


def _state(state: LessonState, text: PlayerText | None) -> Mapping[str, Any]:
    stops = text.stops.get(state.stage, ()) if text is not None else ()
    frame = state.frame or (stops[state.stop - 1] if state.stop is not None and state.stop <= len(stops) else 1)
    return {
        "title": both(state.title),
        "minutes": state.minutes,
        "notes": both(state.notes),
        "pause": both(state.pause) if state.pause else None,
        "scenario": state.scenario,
        "page": state.page,
        "stage": state.stage,
        "frame": frame,
        "lang": state.lang,
        "ask": state.ask,
    }
