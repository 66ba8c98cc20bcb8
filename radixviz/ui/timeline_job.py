"""Makes the timeline in the background: torch is imported there, so the page itself comes at once."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread

import streamlit as st

from radixviz.errors import RadixVizError
from radixviz.model.loader import STEPS, load
from radixviz.scenario.player import OnTimeline
from radixviz.scenario.schema import Scenario
from radixviz.timeline import Timeline
from radixviz.tour import play_on_model

PLAYING = "playing"
Tell = Callable[[str, float], None]
"""Told the step that begins and how much of the whole is done, 0 to 1."""
_SHARES = {"torch": 0.05, "transformers": 0.35, "weights": 0.7, "selfcheck": 0.8, PLAYING: 0.88}
"""Where each step begins, as measured on two cores."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done, and how much of the whole is done before it."""

    step: str = STEPS[0]
    share: float = 0.0


class TimelineJob:
    """A thread that makes one timeline. Its fields are written by the thread, each in one go; others only read them."""

    def __init__(self, make: Callable[[Tell, OnTimeline], Timeline]) -> None:
        self.progress = Progress()
        self.timeline: Timeline | None = None
        self.beginning: Timeline | None = None
        """Its first stages, as soon as there is a request to look at."""
        self.error: Exception | None = None
        self._make = make
        self._unstarted = [Thread(target=self._run, name="timeline", daemon=True)]

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self.timeline is None and self.error is None

    def start(self) -> None:
        """Start the thread, unless somebody has done so."""
        with suppress(IndexError):  # taking it out of a list is what only one of several sessions can do
            self._unstarted.pop().start()

    def _run(self) -> None:
        try:
            self.timeline = self._make(self._tell, self._show)
        except RadixVizError as error:
            self.error = error
        except Exception as error:  # shown in the page; what it was belongs into the log
            logging.getLogger(__name__).exception("the timeline could not be made")
            self.error = error
        spare_collector()

    def _tell(self, step: str, share: float) -> None:
        self.progress = Progress(step, share)

    def _show(self, so_far: Timeline) -> None:
        if self.beginning is None and so_far.frames[-1].sequences:
            self.beginning = so_far


def spare_collector() -> None:
    """Take everything that is alive out of the garbage collector's sight.

    Streamlit collects after every run of a page, and over the objects of torch and transformers that holds the whole
    process for half a second: each step would wait for it, and polling would starve the import itself.
    """
    gc.freeze()


@st.cache_resource(show_spinner=False, max_entries=4)
def timeline_job(scenario: str, model: str, page_size: int, pool_pages: int | None, _scenario: Scenario) -> TimelineJob:
    """Return the job for the scenario of this name with these settings, shared by all sessions.

    Without a number of pages, it is one with which the scenario tells its story.
    """
    return TimelineJob(lambda tell, show: make_timeline(_scenario, model, page_size, pool_pages, tell, show))


def make_timeline(
    scenario: Scenario, model: str, page_size: int, pool_pages: int | None, tell: Tell, show: OnTimeline
) -> Timeline:
    """Load the model and play the scenario on it; `show` is told what there is so far, after each stage.

    Raises RadixVizError: the model cannot be used, or the scenario cannot be played with it.
    """
    loaded = load(model, progress=lambda step: tell(step, _SHARES.get(step, 0.0)))
    stages = [spec.stage for spec in scenario.stage]
    begun = _SHARES[PLAYING]
    tell(PLAYING, begun)
    return play_on_model(
        scenario,
        loaded,
        page_size=page_size,
        pool_pages=pool_pages,
        on_timeline=show,
        on_stage=lambda stage: tell(PLAYING, begun + (1 - begun) * stages.index(stage) / len(stages)),
    )
