"""What the page plays for an address: the tiny model's tour in one go, or that of another model stage by stage."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from radixviz.model.folder import TINY
from radixviz.scenario.schema import Scenario
from radixviz.timeline import Timeline
from radixviz.ui.kept_run import FileStamp, KeptRun, model_files, read_run, run_key
from radixviz.ui.offered_models import OfferedModels
from radixviz.ui.settings import Settings
from radixviz.ui.stepped_tour import SteppedTour, TourPlan, TourState, stepped_tours
from radixviz.ui.timeline_job import TimelineJob, timeline_job


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """What is played: by `job` the tiny model's tour, by `tour` that of another model, and what there is of it so far.

    Both, when the other model cannot be used: then the tiny one's is shown. `key` is the name under which it is kept.
    All is one look at what threads do: `state`, the tour's, was taken before its frames, and `error`, the job's, before
    its own. What comes after is a change, for which the page runs again.
    """

    whole: Timeline | None
    beginning: Timeline | None
    job: TimelineJob | None
    tour: SteppedTour | None
    key: str
    state: TourState | None = None
    error: Exception | None = None

    @property
    def source(self) -> str:
        """What was loaded, or is to be, for what the player shows."""
        return TINY if self.tour is None or self.job is not None else self.tour.plan.source

    @property
    def beginning_key(self) -> str:
        """The name under which its first stages are kept: none for the tiny model's, which is soon whole."""
        return self.key if self.job is None else ""

    def kept(self) -> KeptRun | None:
        """Return the last such run that was kept, as long as it is to be shown: frames of two runs are never mixed.

        The tiny model's is shown until this run is whole, and ends in the same; another model's until the first stage
        of this run is there.
        """
        is_shown = self.whole is None and (self.job is not None or self.beginning is None)
        return read_run(self.key) if is_shown else None


def find_run(
    name: str, scenario: Scenario, settings: Settings, offered: OfferedModels, engine: Path | None
) -> PlayedRun:
    """Return the run of the scenario of this name with these settings; `engine` is the Graphviz program."""
    size, pages = _pool(settings, scenario)
    tour = state = None
    if settings.model != TINY:
        plan = TourPlan(scenario, settings.model, offered.sources[settings.model], size, settings.pool_pages)
        tour = stepped_tours().find(plan)
        state = tour.state
        if tour.error is None:
            told = tour.told  # once: its thread may tell of the next stage meanwhile
            whole = told.timeline if told.stages == len(scenario.stage) else None
            key = _key(scenario, engine, name, plan.source, model_files(plan.source), size, plan.pool_pages)
            return PlayedRun(whole, told.timeline, None, tour, key, state)
    job = timeline_job(name, TINY, size, pages, scenario)
    error = job.error
    key = _key(scenario, engine, name, TINY, model_files(TINY), size, pages)
    return PlayedRun(job.timeline, job.beginning, job, tour, key, state, error)


def _pool(settings: Settings, scenario: Scenario) -> tuple[int, int | None]:
    """Return page size and pages; with another page size than the scenario's, no pages unless they were asked for."""
    if settings.page_size in (None, scenario.page_size):
        return scenario.page_size, settings.pool_pages or scenario.pool_pages
    return settings.page_size or scenario.page_size, settings.pool_pages


@st.cache_resource(show_spinner=False)
def _key(
    _scenario: Scenario,
    engine: Path | None,
    name: str,
    model: str,
    files: tuple[FileStamp, ...],
    page_size: int,
    pool_pages: int | None,
) -> str:
    return run_key(_scenario, model, files, page_size, pool_pages, engine) if engine else ""
