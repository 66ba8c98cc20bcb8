"""The stage of a stepped tour that a reader has asked for: when it has run, the player goes there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from radixviz.timeline import StageKey
from radixviz.ui.components.player import Awaited
from radixviz.ui.state import keep_value, kept_value
from radixviz.ui.stepped_tour import SteppedTour, TourPlan

ASKED = "radixviz.asked"


@dataclass(frozen=True, slots=True)
class AskedStage:
    """What this session asked for last: `turn` counts its wishes, `stage` is None when it no longer waits."""

    plan: TourPlan
    stage: StageKey | None
    turn: int


def ask_next_stage(tour: SteppedTour) -> None:
    """Let the next stage run, and show it to this reader when it has."""
    _ask(tour)
    tour.run_next()


def ask_all_stages(tour: SteppedTour) -> None:
    """Let all the other stages run; the first of them is shown to this reader, who reads on from there."""
    _ask(tour)
    tour.run_all()


def call_off(tour: SteppedTour) -> None:
    """Call the run off; nothing is waited for any more."""
    forget_asked()
    tour.cancel()


def forget_asked() -> None:
    """Wait for no stage: for pages without the player too, whose reader comes back to where he was."""
    asked = _asked()
    if asked is not None:
        keep_value(ASKED, replace(asked, stage=None))


def awaited_stage(tour: SteppedTour) -> Awaited | None:
    """Return what this reader has asked of this tour, and whether it has run."""
    asked = _asked()
    if asked is None or asked.stage is None or asked.plan != tour.plan:
        return None
    timeline = tour.told.timeline
    return Awaited(asked.stage, asked.turn, timeline is not None and asked.stage in timeline.stages())


def _ask(tour: SteppedTour) -> None:
    asked = _asked()
    keep_value(ASKED, AskedStage(tour.plan, tour.next_stage, 1 if asked is None else asked.turn + 1))


def _asked() -> AskedStage | None:
    return cast("AskedStage | None", kept_value(ASKED))
