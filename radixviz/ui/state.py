"""The one state of a reader's session, and the only place that touches Streamlit's session state and address."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal, cast
from urllib.parse import parse_qsl

import streamlit as st

from radixviz.errors import RadixVizError
from radixviz.render.words import BOTH
from radixviz.timeline import StageKey, Timeline
from radixviz.ui.position import INTRO, Notice, Position, find_frame, find_stage, find_switch

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")
STATE = "radixviz.state"
OPENED = "radixviz.opened"
REPORTED = "radixviz.reported"
_OF_STREAMLIT = ("embed", "embed_options")
"""What stands in an address but is not for the app: Streamlit neither tells it nor takes it."""


@dataclass(frozen=True, slots=True)
class Address:
    """What the address says, as it is written; None where it says nothing."""

    scenario: str | None = None
    stage: str | None = None
    frame: str | None = None
    lang: str | None = None
    model: str | None = None
    page_size: str | None = None
    pool: str | None = None
    ask: str | None = None
    present: str | None = None


@dataclass(frozen=True, slots=True)
class View:
    """How a reader sees the frames: in which languages, whether questions are asked, and whether for a whole room."""

    lang: Language
    both: bool = False
    ask: bool = True
    present: bool = False


@dataclass(frozen=True, slots=True)
class AppState:
    """What one reader sees.

    `asked_frame` is what the address asked for, until a timeline is there to look it up in. `address` is what the
    address said when this state was made: when it says something else, the reader has followed a link.
    """

    position: Position
    view: View
    asked_frame: str | None = None
    notices: tuple[Notice, ...] = ()
    address: Address = Address()

    @property
    def lang(self) -> Language:
        """The language of what stands once on the page."""
        return self.view.lang


def get_state(stages: tuple[StageKey, ...]) -> AppState:
    """Return this session's state; a new session, and one whose address has changed, lands where the address says."""
    address = read_address()
    state: AppState | None = st.session_state.get(STATE)
    if state is None or state.address != address:
        state = land(address, stages, _own_language() if state is None else state.lang)
        st.session_state[STATE] = state
    return state


def land(address: Address, stages: tuple[StageKey, ...], lang: Language) -> AppState:
    """Return the state for an address: the nearest that there is, with a word about it."""
    view, notices = _view(address, lang)
    stage, notice = find_stage(address.stage, stages) if address.stage is not None else (INTRO, None)
    frame = None if notice else address.frame
    return AppState(Position(stage, 1), view, frame, (*notices, notice) if notice else notices, address)


def _view(address: Address, lang: Language) -> tuple[View, tuple[Notice, ...]]:
    known = next((one for one in LANGUAGES if one == address.lang), None)
    both = address.lang == BOTH
    unknown = None if address.lang is None or known or both else Notice("notice.lang", {"asked": address.lang})
    ask, wrong_ask = find_switch("ask", address.ask, usual=True)
    present, wrong_present = find_switch("present", address.present, usual=False)
    notices = tuple(notice for notice in (unknown, wrong_ask, wrong_present) if notice)
    return View("zh" if both else known or lang, both, ask, present), notices


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


def read_address() -> Address:
    """Return what the address says now."""
    said = address_parameters()
    return Address(**{field.name: said.get(field.name) for field in fields(Address)})


@dataclass(frozen=True, slots=True)
class Report:
    """What the player says about the address: `now`; `then` is what Streamlit said it was at that time."""

    then: dict[str, str]
    now: dict[str, str]


def keep_report(key: str) -> None:
    """Keep the address that the player of this key has written: Streamlit goes on saying the one before.

    Its browser part keeps what it once read, and looks again only when the reader goes Back or follows a link.
    """
    address = cast("dict[str, object]", st.session_state.get(key) or {}).get("address")
    if isinstance(address, str):
        pairs = parse_qsl(address.removeprefix("?"), keep_blank_values=True)
        now = {name: value for name, value in pairs if name.lower() not in _OF_STREAMLIT}
        st.session_state[REPORTED] = Report(st.query_params.to_dict(), now)


def forget_report() -> None:
    """Believe Streamlit alone: for pages without the player."""
    st.session_state.pop(REPORTED, None)


def choose_language(key: str) -> None:
    """Read on in the language that the widget of this key holds: the address says so, as after a step of the player."""
    choose_in_address("lang", key)


def choose_in_address(name: str, key: str) -> None:
    """Let the address say under `name` what the widget of this key holds."""
    st.query_params[name] = str(widget_value(key))


def page_language() -> Language:
    """Return the language of the address, else the reader's own: for what is said before there is a state."""
    return _view(read_address(), _own_language())[0].lang


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


@dataclass(frozen=True, slots=True)
class AskedLesson:
    """The lesson that the address names, whether this is its presenter's window, and the languages asked for."""

    name: str | None
    presenter: bool
    lang: str | None


def asked_lesson() -> AskedLesson:
    """Return what the address says about a lesson."""
    said = address_parameters()
    lang = said.get("lang")
    known = lang if lang in (*LANGUAGES, BOTH) else None
    return AskedLesson(said.get("lesson"), said.get("presenter") == "1", known)


def kept_value(key: str) -> object:
    """Return what a page has kept in this session under its own key, None if nothing."""
    return st.session_state.get(key)


def keep_value(key: str, value: object) -> None:
    """Keep a page's own choice in this session."""
    st.session_state[key] = value


def address_parameters() -> dict[str, str]:
    """Return everything that the address says: what Streamlit tells, or what the player has written over that."""
    said = st.query_params.to_dict()
    report: Report | None = st.session_state.get(REPORTED)
    return dict(said if report is None or report.then != said else report.now)
