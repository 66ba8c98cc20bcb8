"""Mounts the player: all frames go to the browser once, and a step there costs no round trip."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import streamlit as st

from radixviz.render.player_script import player_markup, player_script, player_styles
from radixviz.timeline import StageKey
from radixviz.ui.state import View, get_opened, keep_report

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

PLAYER = "radixviz.player"


@dataclass(frozen=True, slots=True)
class PlayerText:
    """The data of `radixviz.render.player_data` as JSON, the digest that tells two of them apart, and its stages.

    `stages` has the index of the first frame and the number of frames of each, `stops` the frames (from 1) of each
    where its author pauses.
    """

    digest: str
    json: str
    stages: Mapping[StageKey, tuple[int, int]]
    stops: Mapping[StageKey, tuple[int, ...]]

    @classmethod
    def of(cls, data: Mapping[str, Any], text: str | None = None) -> PlayerText:
        """Return these data as text, or as the `text` that they were read from."""
        written = json.dumps(data, ensure_ascii=False, separators=(",", ":")) if text is None else text
        stages = {stage["stage"]: (stage["first"], stage["frames"]) for stage in data["stages"]}
        stops = {
            stage["stage"]: tuple(stop - stage["first"] + 1 for stop in stage["stops"]) for stage in data["stages"]
        }
        return cls(str(data["digest"]), written, stages, stops)

    @property
    def played(self) -> int:
        """How many stages have frames."""
        return sum(frames > 0 for _, frames in self.stages.values())

    def frames(self, stage: StageKey) -> int:
        """Return how many frames a stage has; the introduction has one."""
        return self.stages[stage][1] if stage in self.stages else 1

    def index(self, stage: StageKey, frame: int) -> int:
        """Return the absolute index of a stage's frame (from 1); -1 is the introduction."""
        return self.stages[stage][0] + frame - 1 if stage in self.stages else -1


@dataclass(frozen=True, slots=True)
class Start:
    """Where a reader begins: the index of a frame (-1: the introduction), how it is seen, a word about the address."""

    frame: int
    view: View
    notices: Mapping[str, Sequence[str]] | None = None


@dataclass(frozen=True, slots=True)
class Awaited:
    """A stage that the reader has asked for, in which of his turns, and whether it has run.

    From the first that the player hears of a turn it waits; once the stage is there it goes to its first frame, unless
    the reader has meanwhile stepped elsewhere.
    """

    stage: StageKey
    turn: int
    is_there: bool


def show_player(text: PlayerText, start: Start, awaited: Awaited | None = None) -> None:
    """Show the player. It keeps its place by itself; `start` counts when it is first shown, or first has frames.

    It is told whether it shows a file that the reader has opened, as no link opens that.
    It writes stage, frame and view into the address, and reports the absolute frame and that address: then the page
    runs again and reads it.
    """
    data = {
        "digest": text.digest,
        "player": text.json,
        "start": {
            "frame": start.frame,
            "notices": start.notices,
            "opened": get_opened().timeline is not None,
            **asdict(start.view),
        },
        "awaited": asdict(awaited) if awaited else None,
    }
    _component()(key=PLAYER, data=data, on_frame_change=_reported, on_address_change=_reported)


def _reported() -> None:
    keep_report(PLAYER)


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component("radixviz_player", html=player_markup(), css=player_styles(), js=player_script())
