"""The tour on a model that is not the tiny one: loaded when it is asked for, stage by stage, freed when called off."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from threading import Lock, Thread

import streamlit as st

from radixviz.errors import RadixVizError
from radixviz.events import Event, TokenSampled
from radixviz.model.chat_template import Message, RewrittenTurn, rewritten_turn
from radixviz.model.loader import STEPS, LoadedModel, load
from radixviz.scenario.player import PlayCancelled
from radixviz.scenario.schema import Scenario
from radixviz.timeline import StageKey, Timeline
from radixviz.tour import play_on_model
from radixviz.ui.stage_gate import StageGate
from radixviz.ui.timeline_job import PLAYING, Progress, spare_collector

_LOADING = {"hub": 0.0, "torch": 0.05, "transformers": 0.15, "weights": 0.3, "selfcheck": 0.45, PLAYING: 0.6}
"""Where each step begins, of the way to the first stage."""
_MOST_KEPT = 4


@dataclass(frozen=True, slots=True)
class TourPlan:
    """What is played: the scenario, the model by the name that is shown and by what `load` takes, and the pool."""

    scenario: Scenario
    model: str
    source: str
    page_size: int
    pool_pages: int | None


@dataclass(frozen=True, slots=True)
class Told:
    """What a run has told so far.

    `timeline` holds the stages that have run, None before the first. `stage` is the one that runs or ran last, `said`
    what its sequences have said so far, by sequence id. `rewritten` tells of the model's chat template, and
    `chat_refusal` why it is not used, in its own words.
    """

    timeline: Timeline | None = None
    stages: int = 0
    stage: StageKey | None = None
    said: tuple[tuple[str, str], ...] = ()
    rewritten: RewrittenTurn | None = None
    chat_refusal: str | None = None


@dataclass(frozen=True, slots=True)
class TourState:
    """What a whole page depends on: when it is another, the page is to run again."""

    is_working: bool
    is_loaded: bool
    stages: int


class SteppedTour:
    """One tour on one model, for all sessions. Its fields are written in one go; the page only reads them."""

    def __init__(self, plan: TourPlan, make_room: Callable[[SteppedTour], None], room: Lock) -> None:
        """Take over `room`, held while a model is; `make_room` calls off what holds it, other than this tour."""
        self.plan = plan
        self._make_room = make_room
        self._room = room
        self.progress = Progress()
        self.told = Told()
        self.error: Exception | None = None
        self.was_cancelled = False
        self._lock = Lock()
        self._gate = StageGate()
        self._thread: Thread | None = None

    @property
    def state(self) -> TourState:
        """What it is doing now. Who shows `told` takes this first: what comes between is then seen as a change."""
        return TourState(self.is_working, self.is_loaded, self.told.stages)

    @property
    def is_loaded(self) -> bool:
        """Whether a thread holds a model, or is about to."""
        return self._thread is not None

    @property
    def is_working(self) -> bool:
        """Whether there is something to wait for: a stage that was asked for, or the end of a run called off."""
        return self._thread is not None and (self._gate.is_closed or not self._gate.is_waiting)

    @property
    def is_ending(self) -> bool:
        """Whether the run was called off and still holds its model."""
        return self._thread is not None and self._gate.is_closed

    @property
    def is_whole(self) -> bool:
        """Whether every stage has run."""
        return self.told.stages == len(self.plan.scenario.stage)

    @property
    def next_stage(self) -> StageKey:
        """The stage that would run next: the first, where no model is held."""
        stages = self.plan.scenario.stage
        return stages[self.told.stages if self.is_loaded and not self.is_whole else 0].stage

    def run_next(self) -> None:
        """Let the next stage run; the first time, and after the run was called off, load the model before it."""
        self._run_on(1)

    def run_all(self) -> None:
        """Let all the other stages run."""
        self._run_on(inf)

    def cancel(self) -> None:
        """Call the run off: what it computes is cancelled, and model and pool are freed as soon as its step ends."""
        self._gate.close()

    def join(self, seconds: float | None = None) -> None:
        """Wait until nothing is held any more."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)

    def _run_on(self, stages: float) -> None:
        with self._lock:
            if self._thread is None:
                self._make_room(self)
                self._gate = StageGate()
                self.progress, self.told, self.error, self.was_cancelled = Progress(STEPS[0], 0.0), Told(), None, False
                self._thread = Thread(target=self._run, args=(self._gate,), name="stepped tour", daemon=True)
                self._thread.start()
            self._gate.allow(stages)

    def _run(self, gate: StageGate) -> None:
        try:
            with self._room:
                whole = _Run(self, gate).timeline()
            self.told = replace(self.told, timeline=whole, stages=len(self.plan.scenario.stage))
        except PlayCancelled:
            self.told, self.was_cancelled = Told(), True
        except RadixVizError as error:
            self.told, self.error = Told(), _without_frames(error)
        except Exception as error:  # shown in the page; what it was belongs into the log
            logging.getLogger(__name__).exception("the tour on %s could not be made", self.plan.model)
            self.told, self.error = Told(), _without_frames(error)
        gc.unfreeze()  # what the page has hidden from the collector holds the model too
        gc.collect()
        spare_collector()
        self._thread = None


class _Run:
    """What one thread does between loading and the last stage; it alone holds the model."""

    def __init__(self, tour: SteppedTour, gate: StageGate) -> None:
        self._tour = tour
        self._gate = gate
        self._ids: dict[str, list[int]] = {}
        self._decode: Callable[[list[int]], str] = lambda ids: ""

    def timeline(self) -> Timeline:
        plan = self._tour.plan
        loaded = replace(load(plan.source, hub=True, progress=self._tell_step), name=plan.model)
        self._decode = loaded.tokenizer.decode
        self._tour.told = replace(
            self._tour.told,
            rewritten=_rewritten(loaded, plan.scenario),
            chat_refusal=loaded.tokenizer.chat_refusal,
        )
        self._tell_step(PLAYING)
        return play_on_model(
            plan.scenario,
            loaded,
            page_size=plan.page_size,
            pool_pages=plan.pool_pages,
            on_stage=self._begin,
            on_timeline=self._show,
            on_event=self._note,
            is_cancelled=lambda: self._gate.is_closed,
        )

    def _tell_step(self, step: str) -> None:
        if self._gate.is_closed:
            raise PlayCancelled
        self._tour.progress = Progress(step, _LOADING.get(step, 0.0))

    def _begin(self, stage: StageKey) -> None:
        """Wait for the leave to run this stage."""
        if not self._gate.is_open():
            raise PlayCancelled
        self._ids = {}
        stages = [spec.stage for spec in self._tour.plan.scenario.stage]
        self._tour.told = replace(self._tour.told, stage=stage, said=())
        self._tour.progress = Progress(PLAYING, stages.index(stage) / len(stages))

    def _show(self, timeline: Timeline) -> None:
        self._tour.told = replace(self._tour.told, timeline=timeline, stages=self._tour.told.stages + 1)
        self._gate.pass_stage()

    def _note(self, event: Event) -> None:
        """Keep what is said: the text so far, with the token that has just come."""
        if isinstance(event, TokenSampled):
            self._ids.setdefault(event.sequence_id, []).append(event.token_id)
            said = tuple((name, self._decode(ids)) for name, ids in self._ids.items())
            self._tour.told = replace(self._tour.told, said=said)


class SteppedTours:
    """The tours that somebody has looked at lately; only one of them holds a model at a time."""

    def __init__(self) -> None:
        self._tours: list[SteppedTour] = []
        self._room = Lock()
        self._looking = Lock()

    def find(self, plan: TourPlan) -> SteppedTour:
        """Return the tour of this plan; each session asks from a thread of its own."""
        with self._looking:
            known = next((tour for tour in self._tours if tour.plan == plan), None)
            found = known or SteppedTour(plan, self._call_off_others, self._room)
            self._tours = [*(tour for tour in self._tours if tour is not found), found]
            for tour in self._tours[:-_MOST_KEPT]:
                tour.cancel()
            self._tours = self._tours[-_MOST_KEPT:]
            return found

    def forget(self) -> None:
        """Call every tour off, and wait until its memory is free."""
        for tour in self._tours:
            tour.cancel()
            tour.join()
        self._tours = []

    def _call_off_others(self, starting: SteppedTour) -> None:
        for tour in self._tours:
            if tour is not starting:
                tour.cancel()


@st.cache_resource(show_spinner=False)
def stepped_tours() -> SteppedTours:
    """Return the tours of all sessions."""
    return SteppedTours()


def _rewritten(loaded: LoadedModel, scenario: Scenario) -> RewrittenTurn | None:
    """Return how the model's chat template rewrites the scenario's first session; None without a second turn."""
    chats = [request for request in scenario.request if request.kind == "chat"]
    turns = [request for request in chats if request.session == chats[0].session] if chats else []
    if loaded.chat is None or loaded.tokenizer.chat_refusal is not None or len(turns) < 2:
        return None
    messages = [Message("system", turns[0].system or ""), Message("user", turns[0].user or "")]
    return rewritten_turn(loaded.chat, loaded.tokenizer, messages, turns[0].reply or "", turns[1].user or "")


def _without_frames(error: Exception) -> Exception:
    """Return the error without what it holds of the frames it came through: a model is among it."""
    error.__context__ = error.__cause__ = None
    return error.with_traceback(None)
