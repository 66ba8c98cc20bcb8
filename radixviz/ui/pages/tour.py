"""The tour: the nine stages, frame by frame. The browser holds all frames and steps through them by itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from radixviz.errors import RadixVizError
from radixviz.model.folder import TINY
from radixviz.render.dot import labelled_dot
from radixviz.render.layout import find_engine
from radixviz.render.tree_boxes import tree_boxes
from radixviz.render.tree_text import box_labels
from radixviz.render.words import say
from radixviz.timeline import Frame, Timeline
from radixviz.ui.components.player import Start, show_player
from radixviz.ui.components.start_up import show_error, show_failure, show_progress
from radixviz.ui.player_text import player_text, waiting_text
from radixviz.ui.position import INTRO, frames_in
from radixviz.ui.state import LANGUAGES, AppState, get_state, settle_state
from radixviz.ui.story import story
from radixviz.ui.timeline_job import timeline_job

_STYLE = Path(__file__).parents[1] / "components" / "page_style.css"


def show_tour() -> None:
    """Show the player: the introduction at once, the stages as soon as the model has played them."""
    try:
        scenario = story()
    except RadixVizError as error:
        show_error(error, get_state(()).lang)
        return
    job = timeline_job(TINY, scenario.page_size, scenario.pool_pages, scenario)
    timeline = job.timeline
    state = get_state(tuple(spec.stage for spec in scenario.stage))
    st.html(f"<style>{_STYLE.read_text(encoding='utf-8')}</style>")
    if timeline is None:
        show_player(waiting_text(scenario), Start(-1, state.lang, _notices(state)))
    else:
        state = settle_state(state, frames_in(state.position.stage, timeline))
        engine = find_engine()
        frame = _frame(state, timeline)
        show_player(
            player_text(timeline, engine, scenario), Start(frame.index if frame else -1, state.lang, _notices(state))
        )
        if engine is None and frame is not None:
            _show_plain_tree(timeline, frame, state.lang)
    if job.error is not None:
        show_failure(job.error, state.lang)
    elif timeline is None:
        show_progress(job, state.lang)
    job.start()  # last, so that importing torch does not keep the page from coming


def _frame(state: AppState, timeline: Timeline) -> Frame | None:
    if state.position.stage == INTRO:
        return None
    return timeline.stage_frames(state.position.stage)[state.position.frame - 1]


def _notices(state: AppState) -> Mapping[str, list[str]] | None:
    """Return what is to be said about an address that asked for something that does not exist."""
    if not state.notices:
        return None
    return {lang: [say(lang, notice.key, **notice.values) for notice in state.notices] for lang in LANGUAGES}


def _show_plain_tree(timeline: Timeline, frame: Frame, lang: str) -> None:
    """Draw the frame with the Graphviz that Streamlit brings, where there is no other: plain, but a picture."""
    boxes = tree_boxes(timeline, frame)
    st.graphviz_chart(labelled_dot(boxes, box_labels(timeline, frame, lang)))
