"""The tour: the nine stages, frame by frame."""

from __future__ import annotations

import streamlit as st

from radixviz.errors import RadixVizError
from radixviz.model.folder import TINY
from radixviz.render.dot import labelled_dot
from radixviz.render.intro import IntroPrompt, intro_page
from radixviz.render.layout import find_engine
from radixviz.render.page import player_page
from radixviz.render.tree_boxes import tree_boxes
from radixviz.render.tree_text import box_labels
from radixviz.render.words import say
from radixviz.scenario.schema import Scenario
from radixviz.timeline import Frame, Timeline
from radixviz.ui.components.player import page_theme, show_player
from radixviz.ui.components.ruler import show_ruler
from radixviz.ui.components.start_up import show_error, show_failure, show_progress
from radixviz.ui.position import INTRO, frames_in
from radixviz.ui.state import AppState, get_state, settle_state
from radixviz.ui.story import in_language, intro_prompts, story
from radixviz.ui.timeline_job import timeline_job


def show_tour() -> None:
    """Show the frame that this session is at, or say why that is not possible."""
    try:
        scenario = story()
    except RadixVizError as error:
        show_error(error, get_state(()).lang)
        return
    job = timeline_job(TINY, scenario.page_size, scenario.pool_pages, scenario)
    state = get_state(tuple(spec.stage for spec in scenario.stage))
    if job.timeline is not None:
        state = settle_state(state, frames_in(state.position.stage, job.timeline))
    show_ruler(state, scenario, job.timeline, page_theme())
    if job.timeline is None or state.position.stage == INTRO:
        _show_intro(state, scenario)
    else:
        _show_frame(state, job.timeline)
    if job.error is not None:
        show_failure(job.error, state.lang)
    elif job.timeline is None:
        show_progress(job, state.lang)
    job.start()  # last, so that importing torch does not keep the page from coming


def _show_intro(state: AppState, scenario: Scenario) -> None:
    intro = scenario.intro
    words = in_language(intro.say, state.lang), in_language(intro.why, state.lang)
    show_player(intro_page(_prompts(state, scenario), *words, _notices(state), state.lang, page_theme()))


def _prompts(state: AppState, scenario: Scenario) -> tuple[IntroPrompt, ...]:
    """Return no prompts without a tokenizer: then there is no timeline either, and the page says why."""
    try:
        return intro_prompts(state.lang, scenario)
    except RadixVizError:
        return ()


def _show_frame(state: AppState, timeline: Timeline) -> None:
    frame = _frame(state, timeline)
    engine = find_engine()
    show_player(player_page(timeline, frame, state.lang, page_theme(), engine, _notices(state)))
    if engine is None:  # Streamlit brings a Graphviz for the browser: plain, but a picture
        boxes = tree_boxes(timeline, frame)
        st.graphviz_chart(labelled_dot(boxes, box_labels(timeline, frame, state.lang)))


def _frame(state: AppState, timeline: Timeline) -> Frame:
    return timeline.stage_frames(state.position.stage)[state.position.frame - 1]


def _notices(state: AppState) -> tuple[str, ...]:
    """Return what is to be said about an address that asked for something that does not exist."""
    return tuple(say(state.lang, notice.key, **notice.values) for notice in state.notices)
