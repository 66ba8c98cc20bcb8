"""What the page shows while the timeline is being made, or when it could not be."""

from __future__ import annotations

import streamlit as st

from radixviz.errors import RadixVizError
from radixviz.render.explain import explain
from radixviz.render.words import say
from radixviz.ui.components.plain_text import as_text
from radixviz.ui.timeline_job import TimelineJob, spare_collector, timeline_job

RETRY = "radixviz.retry"
_SECONDS = 0.3


@st.fragment(run_every=_SECONDS)
def show_progress(job: TimelineJob, lang: str, kept_day: str | None = None, *, is_begun: bool = False) -> None:
    """Show what is being done and how far it is; when there is more to show the whole page runs once more.

    `kept_day` is the day of the earlier run that is shown until then; `is_begun` says that the page shows an earlier
    run or the beginning of this one.
    """
    spare_collector()
    if not job.running or (job.beginning is not None and not is_begun):
        st.rerun()
    progress = job.progress
    text = f"{say(lang, 'load.title')}{say(lang, 'colon')}{say(lang, f'load.{progress.step}')}"
    if kept_day is not None:
        text = f"{say(lang, 'load.kept', day=kept_day)} {text}"
    st.progress(progress.share, text)


def show_error(error: Exception, lang: str) -> None:
    """Say what went wrong, in words."""
    text = (
        explain(error, lang)
        if isinstance(error, RadixVizError)
        else say(lang, "error.unknown", name=type(error).__name__)
    )
    st.error(f"**{say(lang, 'load.failed')}** {as_text(text)}")


def show_failure(error: Exception, lang: str) -> None:
    """Say why there is no timeline, and offer to try again."""
    show_error(error, lang)
    st.button(say(lang, "retry"), key=RETRY, on_click=timeline_job.clear)
