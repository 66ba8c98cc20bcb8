"""Below the player of a stepped tour: what runs the next stage, what calls the run off, and what is being said."""

from __future__ import annotations

import streamlit as st

from radixviz.model.chat_template import RewrittenTurn
from radixviz.render.visible import visible
from radixviz.render.words import say
from radixviz.ui.components.plain_text import as_text
from radixviz.ui.components.start_up import show_error
from radixviz.ui.stepped_tour import SteppedTour, Told
from radixviz.ui.timeline_job import PLAYING, spare_collector

NEXT, ALL, CANCEL = "radixviz.steps.next", "radixviz.steps.all", "radixviz.steps.cancel"
ROW = "radixviz-steps"
_SECONDS = 0.3
_MOST_SAID = 150
_STYLE = """<style>
.stMainBlockContainer { --rv-below: 44px; }
.st-key-radixviz-steps { gap: 8px 12px !important; min-height: 40px; }
.st-key-radixviz-steps [data-testid="stCaptionContainer"] { font-size: 13px; }
[data-testid="stProgress"] { bottom: 194px; }
</style>"""


def show_steps(tour: SteppedTour, lang: str) -> None:
    """Show how the run is advanced, or what it is doing."""
    st.html(_STYLE)
    if tour.error is not None:
        show_error(tour.error, lang)
    if tour.is_working:
        _show_working(tour, lang, tour.told.stages)
    else:
        _show_waiting(tour, lang)
    if tour.told.rewritten is not None:
        st.caption(as_text(_rewritten_text(tour.told.rewritten, lang)))
    if tour.told.chat_refusal is not None:
        st.caption(as_text(say(lang, "chat.plain", detail=visible(tour.told.chat_refusal))))


def _show_waiting(tour: SteppedTour, lang: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=ROW):
        if not tour.is_whole:
            st.button(say(lang, "steps.next"), key=NEXT, on_click=tour.run_next, type="primary")
            st.button(say(lang, "steps.all"), key=ALL, on_click=tour.run_all)
        if tour.is_loaded:
            st.button(say(lang, "steps.cancel"), key=CANCEL, on_click=tour.cancel)
        st.caption(as_text(_state_text(tour, lang)), width="stretch")


@st.fragment(run_every=_SECONDS)
def _show_working(tour: SteppedTour, lang: str, shown: int) -> None:
    """Show what is being said; when a stage is there, or nothing runs any more, the whole page runs once more."""
    spare_collector()
    if not tour.is_working or tour.told.stages > shown:
        st.rerun()
    progress, told = tour.progress, tour.told
    with st.container(horizontal=True, vertical_alignment="center", key=ROW):
        st.button(say(lang, "steps.cancel"), key=CANCEL, on_click=tour.cancel)
        st.caption(as_text(_said_text(told)), width="stretch")
    step = say(lang, f"load.{progress.step}")
    if progress.step == PLAYING and told.stage is not None:
        step = say(lang, "stage.encore") if told.stage == "encore" else say(lang, "stage", stage=told.stage)
    st.progress(progress.share, f"{tour.plan.model}{say(lang, 'colon')}{as_text(step)}")


def _state_text(tour: SteppedTour, lang: str) -> str:
    values = {"model": tour.plan.model, "done": tour.told.stages, "all": len(tour.plan.scenario.stage)}
    if tour.was_cancelled:
        return say(lang, "steps.cancelled", **values)
    if tour.is_whole:
        return say(lang, "steps.whole", **values)
    return say(lang, "steps.loaded" if tour.is_loaded else "steps.idle", **values)


def _said_text(told: Told) -> str:
    """Return the end of what each sequence has said: of many, less of each."""
    most = _MOST_SAID // max(1, len(told.said))
    return "   ".join(f"{name}: {_end(text, most)}" for name, text in told.said)


def _end(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"…{line[-most:]}"


def _rewritten_text(turn: RewrittenTurn, lang: str) -> str:
    was, now = visible(turn.was), visible(turn.now)
    return say(lang, "chat.rewritten", shared=turn.shared, length=turn.length, was=was, now=now)
