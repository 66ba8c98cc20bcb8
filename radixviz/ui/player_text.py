"""What the browser gets, made once for each timeline and shared by all sessions."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from radixviz.introduction import both
from radixviz.render.player_data import PlayerIntro, player_data, waiting_data
from radixviz.scenario.schema import Scenario
from radixviz.timeline import Timeline
from radixviz.ui.components.player import PlayerText
from radixviz.ui.kept_run import keep_run

_MOST_KEPT = 4


def player_text(timeline: Timeline, engine: Path | None, intro: PlayerIntro | None, key: str = "") -> PlayerText:
    """Return the player's text of this timeline, laid out by this Graphviz program; a new one is kept under `key`."""
    kept = _kept()
    for known, its_engine, text in kept:
        if known is timeline and its_engine == engine:
            return text
    made = PlayerText.of(player_data(timeline, engine, intro))
    keep_run(key, made)
    kept.append((timeline, engine, made))
    del kept[:-_MOST_KEPT]
    return made


def waiting_text(scenario: Scenario, intro: PlayerIntro) -> PlayerText:
    """Return the player's text while the timeline is being made: the introduction and the names of the stages."""
    stages = [(spec.stage, both(spec.title), both(spec.short)) for spec in scenario.stage]
    return PlayerText.of(waiting_data(scenario.id, both(scenario.title), stages, intro))


@st.cache_resource(show_spinner=False)
def _kept() -> list[tuple[Timeline, Path | None, PlayerText]]:
    return []
