"""The tour: the nine stages, frame by frame. The browser holds all frames and steps through them by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from radixviz.errors import RadixVizError
from radixviz.render.dot import labelled_dot
from radixviz.render.layout import find_engine
from radixviz.render.player_data import PlayerIntro
from radixviz.render.tree_boxes import tree_boxes
from radixviz.render.tree_text import box_labels
from radixviz.render.words import say
from radixviz.scenario.schema import Scenario
from radixviz.timeline import Frame, Timeline
from radixviz.ui.asked_stage import awaited_stage
from radixviz.ui.components.files_panel import ShownRun, show_files
from radixviz.ui.components.lesson import show_walker
from radixviz.ui.components.model_choice import show_models, show_refused_model
from radixviz.ui.components.page_links import TOUR, show_links
from radixviz.ui.components.page_style import style_page
from radixviz.ui.components.player import Awaited, PlayerText, Start, show_player
from radixviz.ui.components.start_up import show_error, show_failure, show_progress
from radixviz.ui.components.stepping import BESIDE, show_chat, show_steps
from radixviz.ui.components.unmet import show_unmet
from radixviz.ui.kept_run import KeptRun
from radixviz.ui.offered_models import find_models
from radixviz.ui.played_run import PlayedRun, find_run
from radixviz.ui.player_text import player_text, waiting_text
from radixviz.ui.position import Notice, Position
from radixviz.ui.settings import find_settings, find_story
from radixviz.ui.state import (
    LANGUAGES,
    AppState,
    View,
    get_opened,
    get_state,
    page_language,
    read_address,
    settle_state,
)
from radixviz.ui.story import introduction, story


def show_tour() -> None:
    """Show the player: the introduction and the last run at once, this run as soon as the model has played it."""
    address = read_address()
    name, unknown = find_story(address.scenario)
    try:
        scenario = story(name)
    except RadixVizError as error:
        show_error(error, get_state(()).lang)
        return
    offered = find_models(page_language())
    settings, wrong = find_settings(
        address.model, address.page_size, address.pool, scenario, tuple(offered.sources), offered.usual
    )
    style_page()
    opened, engine = get_opened(), find_engine()
    run = find_run(name, scenario, settings, offered, engine)
    live = opened.timeline is None
    timeline = run.whole if live else opened.timeline
    intro = introduction(scenario, run.source) if live else None
    state = get_state(tuple(spec.stage for spec in scenario.stage) if timeline is None else timeline.stages())
    said = (Notice("files.shown", {"name": opened.name}),) if not live else (unknown, *wrong) if unknown else wrong
    kept = run.kept() if live else None
    there = _there(run, kept, intro, engine) if live else _There(timeline, None, None, None, engine)
    below_key = "radixviz-present" if state.view.present else "radixviz-near"  # page_style.css places the progress
    beside, player, below, files = st.container(key=BESIDE), st.container(), st.container(key=below_key), st.container()
    if live:  # before the player, which is large: so the reader soon sees that something is being done
        with beside:  # what went wrong too: in view, above the player
            _show_steps(run, kept, state.view)
            if run.error is not None:
                show_failure(run.error, state.lang)
        with below:
            _show_work(run, kept, state.lang, is_begun=there.kept is not None or there.beginning is not None)
    if run.job is not None:
        run.job.start()
    with player:
        text, state = _show_there(there, scenario, state, said)
    with beside:
        show_refused_model(offered, state.lang)
    with files:
        show_walker(scenario.id, state.lang, text, faults=beside)
        if not state.view.present:
            with st.container(horizontal=True, vertical_alignment="center"):
                show_files(ShownRun(timeline, intro, _frame(timeline, state.position), engine, state.view), opened)
                show_models(offered, settings.model, state.lang)
                show_links(TOUR, state.lang)


@dataclass(frozen=True, slots=True)
class _There:
    """What there is to be shown: a whole run, else the last one that was kept, else the beginning of one, else none.

    Beside it the introduction (None: the file that was opened has none), the Graphviz program, the name under which it
    is kept, and the stage that the reader waits for.
    """

    timeline: Timeline | None
    kept: KeptRun | None
    beginning: Timeline | None
    intro: PlayerIntro | None
    engine: Path | None
    key: str = ""
    awaited: Awaited | None = None


def _there(run: PlayedRun, kept: KeptRun | None, intro: PlayerIntro | None, engine: Path | None) -> _There:
    beginning = run.beginning if run.whole is None and kept is None else None
    key = run.beginning_key if run.whole is None else run.key
    awaited = awaited_stage(run.tour) if run.tour is not None else None
    return _There(run.whole, kept, beginning, intro, engine, key, awaited)


def _show_there(
    there: _There, scenario: Scenario, state: AppState, said: tuple[Notice, ...]
) -> tuple[PlayerText, AppState]:
    """Show the player and what is to be said of the run below it; return its text, and where the reader is."""
    timeline, engine, awaited = there.timeline, there.engine, there.awaited
    if timeline is not None:
        text = player_text(timeline, engine, there.intro, there.key)
        state = _show(text, state, said, awaited)
        if timeline.unmet:
            show_unmet(timeline.unmet, state.lang)
        if engine is None:
            _show_plain_tree(timeline, state)
    elif there.kept is not None:
        text = there.kept.text
        state = _show_beginning(text, state, said, awaited)
    elif there.beginning is not None:
        text = player_text(there.beginning, engine, there.intro, there.key)
        state = _show_beginning(text, state, said, awaited)
    else:
        text = waiting_text(scenario, there.intro or introduction(scenario))
        show_player(text, Start(-1, state.view, _notices((*said, *state.notices))), awaited)
    return text, state


def _show(text: PlayerText, state: AppState, said: tuple[Notice, ...], awaited: Awaited | None) -> AppState:
    """Show the frames from where the reader is, or from what the address asked for; return where that is."""
    settled = settle_state(state, text.frames(state.position.stage))
    position = settled.position
    notices = _notices((*said, *settled.notices))
    show_player(text, Start(text.index(position.stage, position.frame), settled.view, notices), awaited)
    return settled


def _frame(timeline: Timeline | None, position: Position) -> Frame | None:
    """Return the frame that is shown, None at the introduction."""
    frames = () if timeline is None else timeline.stage_frames(position.stage)
    return frames[min(position.frame, len(frames)) - 1] if frames else None


def _show_beginning(text: PlayerText, state: AppState, said: tuple[Notice, ...], awaited: Awaited | None) -> AppState:
    """Show a run that may have its first stages only; return where the reader is."""
    if text.frames(state.position.stage):
        return _show(text, state, said, awaited)
    show_player(text, Start(-1, state.view, _notices((*said, *state.notices))), awaited)  # it is still to come
    return state


def _show_steps(run: PlayedRun, kept: KeptRun | None, view: View) -> None:
    """Offer beside the player to run the stages of another model; a run of it that is shown may be an earlier one."""
    if run.tour is not None and run.state is not None:
        show_steps(run.tour, run.state, kept if run.job is None else None, view)


def _show_work(run: PlayedRun, kept: KeptRun | None, lang: str, *, is_begun: bool) -> None:
    """Say below the player how far the model is, and which run is shown until then."""
    if run.tour is not None:
        show_chat(run.tour, lang)
    if run.job is not None and run.error is None and run.whole is None:
        show_progress(run.job, lang, kept.day if kept else None, is_begun=is_begun)


def _notices(notices: tuple[Notice, ...]) -> Mapping[str, list[str]] | None:
    """Return what is to be said about an address that asked for something that does not exist, and whose run it is."""
    if not notices:
        return None
    return {lang: [say(lang, notice.key, **notice.values) for notice in notices] for lang in LANGUAGES}


def _show_plain_tree(timeline: Timeline, state: AppState) -> None:
    """Draw the frame with the Graphviz that Streamlit brings, where there is no other: plain, but a picture."""
    frame = _frame(timeline, state.position)
    if frame is None:
        return
    st.caption(say(state.lang, "tree.no_graphviz"))
    boxes = tree_boxes(timeline, frame)
    st.graphviz_chart(labelled_dot(boxes, box_labels(timeline, frame, state.lang)))
