"""The one state of a reader's session, and the only place that touches Streamlit's session state and address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from radixviz.errors import RadixVizError
from radixviz.timeline import StageKey, Timeline
from radixviz.ui.position import INTRO, Notice, Position, find_frame, find_stage

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
STATE = "radixviz.state"
OPENED = "radixviz.opened"
_PARAMETERS = ("stage", "frame", "lang")


@dataclass(frozen=True, slots=True)
class AppState:
    """What one reader sees.

    `asked_frame` is what the address asked for, until a timeline is there to look it up in. `address` is what the
    address said when this state was made: when it says something else, the reader has followed a link.
    """

    position: Position
    lang: Language
    asked_frame: str | None = None
    notices: tuple[Notice, ...] = ()
    address: tuple[str | None, ...] = (None, None, None)


def get_state(stages: tuple[StageKey, ...]) -> AppState:
    """Return this session's state; a new session, and one whose address has changed, lands where the address says."""
    address = _address()
    state: AppState | None = st.session_state.get(STATE)
    if state is None or state.address != address:
        state = land(address, stages, _own_language() if state is None else state.lang)
        st.session_state[STATE] = state
    return state


def land(address: tuple[str | None, ...], stages: tuple[StageKey, ...], lang: Language) -> AppState:
    """Return the state for an address (stage, frame, lang): the nearest that there is, with a word about it."""
    asked_stage, asked_frame, asked_lang = address
    notices = []
    known = next((one for one in LANGUAGES if one == asked_lang), None)
    if asked_lang is not None and known is None:
        notices.append(Notice("notice.lang", {"asked": asked_lang}))
    stage, notice = find_stage(asked_stage, stages) if asked_stage is not None else (INTRO, None)
    if notice:
        notices.append(notice)
    frame = None if notice else asked_frame
    return AppState(Position(stage, 1), known or lang, frame, tuple(notices), address)


def settle(state: AppState, frames: int) -> AppState:
    """Return the state with the frame that the address asked for, now that the stage is known to have so many."""
    if state.asked_frame is None:
        return state
    frame, notice = find_frame(state.asked_frame, frames)
    notices = (*state.notices, notice) if notice else state.notices
    return replace(state, position=Position(state.position.stage, frame), asked_frame=None, notices=notices)


def settle_state(state: AppState, frames: int) -> AppState:
    """Settle this session's state and keep it."""
    settled = settle(state, frames)
    st.session_state[STATE] = settled
    return settled


def _address() -> tuple[str | None, ...]:
    return tuple(st.query_params.get(name) for name in _PARAMETERS)


def page_language() -> Language:
    """Return the language of the address, else the reader's own: for what is said before there is a state."""
    asked = st.query_params.get("lang")
    return next((one for one in LANGUAGES if one == asked), _own_language())


def _own_language() -> Language:
    return "zh" if (st.context.locale or "").lower().startswith("zh") else "en"


@dataclass(frozen=True, slots=True)
class Opened:
    """The file that a reader has opened.

    `timeline` is its run, None while the live tour is shown; `fault` is what was wrong with the last file that could
    not be opened; `uploads` tells one use of the uploader from the next.
    """

    timeline: Timeline | None = None
    name: str = ""
    fault: RadixVizError | None = None
    uploads: int = 0


def get_opened() -> Opened:
    """Return what this session has opened."""
    opened: Opened = st.session_state.get(OPENED, Opened())
    return opened


def set_opened(opened: Opened) -> None:
    """Keep what this session has opened."""
    st.session_state[OPENED] = opened


def widget_value(key: str) -> object:
    """Return what the widget of this key holds, for a callback."""
    return st.session_state.get(key)
