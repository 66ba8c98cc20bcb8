"""The head of the page: a ruler of the stages, a slider over the frames of one, forward and back, the language."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from radixviz.render.theme import PALETTES, Theme
from radixviz.render.words import say
from radixviz.scenario.schema import Scenario
from radixviz.timeline import StageKey, Timeline
from radixviz.ui.position import INTRO, frames_in
from radixviz.ui.state import (
    FRAME_SLIDER,
    LANGUAGES,
    AppState,
    choose_frame,
    choose_language,
    go_to_stage,
    step_back,
    step_forward,
)
from radixviz.ui.story import in_language

NAV, RULER, KEYS = "radixviz-nav", "radixviz-ruler", "radixviz-keys"
BACK, NEXT, LANGUAGE = "radixviz-back", "radixviz-next", "radixviz-language"
STAGE = "radixviz-stage-{stage}"
MARKS = {"encore": r"\+"}


def show_ruler(state: AppState, scenario: Scenario, timeline: Timeline | None, theme: Theme) -> None:
    """Show the head of the page. Without a timeline only the introduction can be visited."""
    stages: tuple[StageKey, ...] = (INTRO, *(spec.stage for spec in scenario.stage))
    _style(stages.index(state.position.stage), state, timeline, theme)
    with st.container(horizontal=True, key=NAV, vertical_alignment="center"):
        with st.container(horizontal=True, key=RULER):
            for stage in stages:
                _stage_button(stage, state, scenario, ready=timeline is not None)
        with st.container(horizontal=True, key=KEYS, vertical_alignment="center", width="content"):
            _keys(state, timeline)


def _stage_button(stage: StageKey, state: AppState, scenario: Scenario, *, ready: bool) -> None:
    title = next((spec.short for spec in scenario.stage if spec.stage == stage), scenario.intro.short)
    st.button(
        f"{MARKS.get(str(stage), str(stage))} {in_language(title, state.lang)}",
        key=STAGE.format(stage=stage),
        type="tertiary",
        disabled=not ready and stage != INTRO,
        on_click=go_to_stage,
        args=(stage,),
    )


def _keys(state: AppState, timeline: Timeline | None) -> None:
    """Show the buttons. Back and Next are arrows to the eye; their labels are there for those who listen."""
    lang = state.lang
    frames = frames_in(state.position.stage, timeline) if timeline else 1
    if frames > 1:
        st.slider(say(lang, "frame"), 1, frames, key=FRAME_SLIDER, on_change=choose_frame, label_visibility="collapsed")
    waiting = timeline is None
    st.button(say(lang, "player.back"), key=BACK, on_click=step_back, args=(timeline,), disabled=waiting)
    forward = say(lang, "player.forward")
    st.button(forward, key=NEXT, type="primary", on_click=step_forward, args=(timeline,), disabled=waiting)
    other = next(one for one in LANGUAGES if one != lang)
    st.button(say(lang, f"lang.{other}"), key=LANGUAGE, on_click=choose_language, args=(other,))


def _style(place: int, state: AppState, timeline: Timeline | None, theme: Theme) -> None:
    """Send the style sheet, and the colours of the ruler: what is past, how far the present stage is, what comes."""
    palette = PALETTES[theme]
    frames = frames_in(state.position.stage, timeline) if timeline else 1
    done = round(100 * state.position.frame / frames)
    sheet = Path(__file__).with_name("page_style.css").read_text(encoding="utf-8")
    ruler = f".st-key-{RULER}"
    variables = f"--rv-rule:{palette.line};--rv-soft:{palette.soft};--rv-ink:{palette.ink};--rv-ground:{palette.back}"
    past = f"{ruler} > :nth-child(-n+{place}) button{{border-top-color:{palette.soft}}}"
    now = (
        f"{ruler} > :nth-child({place + 1}) button{{color:{palette.ink};font-weight:600;border-image:linear-gradient("
        f"90deg,{palette.ink} {done}%,{palette.line} {done}%) 4}}"
    )
    st.html(f"<style>.stApp{{{variables}}}{sheet}{past}{now}</style>")
