"""Beside the player of a stepped tour: what runs the next stage, what calls the run off, and what is being said."""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from radixviz.model.chat_template import RewrittenTurn
from radixviz.model.folder import TINY
from radixviz.render.visible import visible
from radixviz.render.words import say
from radixviz.timeline import StageKey
from radixviz.ui.asked_stage import ask_all_stages, ask_next_stage, call_off
from radixviz.ui.components.plain_text import as_text
from radixviz.ui.components.start_up import show_error
from radixviz.ui.kept_run import KeptRun
from radixviz.ui.state import View
from radixviz.ui.stepped_tour import SteppedTour, Told, TourState
from radixviz.ui.timeline_job import PLAYING, spare_collector

NEXT, ALL, CANCEL = "radixviz.steps.next", "radixviz.steps.all", "radixviz.steps.cancel"
BESIDE, ROW = "radixviz-beside", "radixviz-steps"
"""The container for all this, and within it that of buttons and text: the style sheet places them by these."""
_SECONDS = 0.3
_MOST_SAID = 3_000
"""So many characters of each reply: what a column may show of it."""
_STYLE = Path(__file__).with_suffix(".css")


def show_steps(tour: SteppedTour, state: TourState, kept: KeptRun | None, view: View) -> None:
    """Show how the run is advanced, or what it is doing.

    `state` is the tour's before the page looked at its frames, `kept` the earlier run that the player shows, if any.
    """
    st.html(f"<style>{_STYLE.read_text(encoding='utf-8')}</style>")
    if tour.error is not None:
        show_error(tour.error, view.lang)
    if state.is_working:
        st.fragment(_show_row, run_every=_SECONDS)(tour, kept, view, state)
    else:
        with st.container():  # as a fragment is in one: a row elsewhere would stand beside the old one for a moment
            _show_row(tour, kept, view, state)


def show_chat(tour: SteppedTour, lang: str) -> None:
    """Say below the player what the model's chat template does to history, or why it is not used."""
    turn, refusal = tour.told.rewritten, tour.told.chat_refusal
    if turn is not None:
        st.caption(as_text(_rewritten_text(turn, lang)))
    if refusal is not None:
        st.caption(as_text(say(lang, "chat.plain", detail=visible(refusal))))


def _show_row(tour: SteppedTour, kept: KeptRun | None, view: View, state: TourState) -> None:
    """Show the row: it alone runs again while a stage runs, and the whole page when there is more to show."""
    if tour.state != state:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key=ROW):
        if state.is_working:
            _show_working(tour, kept, view)
        else:
            _show_waiting(tour, kept, view)


def _show_waiting(tour: SteppedTour, kept: KeptRun | None, view: View) -> None:
    lang = view.lang
    if not tour.is_whole:
        st.button(_next_text(tour, kept, lang), key=NEXT, on_click=ask_next_stage, args=(tour,), type="primary")
        st.button(say(lang, "steps.all"), key=ALL, on_click=ask_all_stages, args=(tour,))
    if tour.is_loaded:
        st.button(say(lang, "steps.cancel"), key=CANCEL, on_click=call_off, args=(tour,))
    _show_told(_state_text(tour, kept, lang), tour.told, view)


def _show_working(tour: SteppedTour, kept: KeptRun | None, view: View) -> None:
    spare_collector()
    lang, progress, told = view.lang, tour.progress, tour.told
    step = say(lang, "steps.ending" if tour.is_ending else f"load.{progress.step}")
    if progress.step == PLAYING and told.stage is not None and not tour.is_ending:
        step = _stage_name(told.stage, lang)
    st.button(say(lang, "steps.cancel"), key=CANCEL, on_click=call_off, args=(tour,), disabled=tour.is_ending)
    st.progress(progress.share, f"{tour.plan.model}{say(lang, 'colon')}{as_text(step)}")
    _show_told(say(lang, "load.kept", day=kept.day) if kept and not told.said else "", told, view)


def _show_told(state: str, told: Told, view: View) -> None:
    """Show a sentence and the replies so far, written by a model: shown as text, whatever signs are in it."""
    large = " rv-large" if view.present else ""
    many = " rv-many" if len(told.said) > 1 else ""
    replies = "".join(
        f"<p><b>{escape(name)}</b><span><i>{escape(text[-_MOST_SAID:])}</i></span></p>" for name, text in told.said
    )
    sentence = f'<p class="rv-state">{escape(state)}</p>' if state else ""
    said = f'<div class="rv-said{many}" tabindex="0"><div>{replies}</div></div>'
    st.html(f'<div class="rv-told{large}">{sentence}{said}</div>')


def _stage_name(stage: StageKey, lang: str) -> str:
    return say(lang, "stage.encore") if stage == "encore" else say(lang, "stage", stage=stage)


def _next_text(tour: SteppedTour, kept: KeptRun | None, lang: str) -> str:
    """Return what the first button does; while an earlier run is shown that is to begin anew."""
    if kept is not None:
        return say(lang, "steps.again")
    if tour.next_stage == "encore":
        return say(lang, "steps.encore")
    return say(lang, "steps.next", stage=tour.next_stage)


def _state_text(tour: SteppedTour, kept: KeptRun | None, lang: str) -> str:
    """Return how far the run is, after what became of it; or which other run is shown."""
    values = {"model": tour.plan.model, "done": tour.told.stages, "all": len(tour.plan.scenario.stage)}
    said = [say(lang, "steps.cancelled", **values)] if tour.was_cancelled else []
    if tour.error is not None:
        said.append(say(lang, "steps.instead", model=TINY))
    elif kept is not None:
        said.append(say(lang, "steps.kept", day=kept.day, done=kept.text.played, all=values["all"]))
    elif tour.is_whole:
        said.append(say(lang, "steps.whole", **values))
    elif not tour.was_cancelled:
        said.append(say(lang, "steps.loaded" if tour.is_loaded else "steps.idle", **values))
    return " ".join(said)


def _rewritten_text(turn: RewrittenTurn, lang: str) -> str:
    was, now = visible(turn.was), visible(turn.now)
    return say(lang, "chat.rewritten", shared=turn.shared, length=turn.length, was=was, now=now)
