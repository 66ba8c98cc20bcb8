"""What the browser gets, made once for each timeline and shared by all sessions."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from radixviz.errors import RadixVizError
from radixviz.render.player_data import IntroRow, PlayerIntro, player_data, waiting_data
from radixviz.scenario.schema import Scenario, Words
from radixviz.timeline import Timeline
from radixviz.ui.components.player import PlayerText
from radixviz.ui.kept_run import keep_run
from radixviz.ui.state import LANGUAGES
from radixviz.ui.story import intro_prompts

_MOST_KEPT = 4


def player_text(timeline: Timeline, engine: Path | None, scenario: Scenario, key: str = "") -> PlayerText:
    """Return the player's text of this timeline, laid out by this Graphviz program; a new one is kept under `key`."""
    kept = _kept()
    for known, its_engine, text in kept:
        if known is timeline and its_engine == engine:
            return text
    made = PlayerText.of(player_data(timeline, engine, player_intro(scenario)))
    keep_run(key, made)
    kept.append((timeline, engine, made))
    del kept[:-_MOST_KEPT]
    return made


def waiting_text(scenario: Scenario) -> PlayerText:
    """Return the player's text while the timeline is being made: the introduction and the names of the stages."""
    stages = [(spec.stage, _both(spec.title), _both(spec.short)) for spec in scenario.stage]
    return PlayerText.of(waiting_data(scenario.id, _both(scenario.title), stages, player_intro(scenario)))


def player_intro(scenario: Scenario) -> PlayerIntro:
    """Return the introduction, without prompts where the tokenizer is missing: then the page says why."""
    intro = scenario.intro
    return PlayerIntro(_both(intro.title), _both(intro.short), _both(intro.say), _both(intro.why), _rows(scenario))


@st.cache_resource(show_spinner=False)
def _kept() -> list[tuple[Timeline, Path | None, PlayerText]]:
    return []


def _rows(scenario: Scenario) -> tuple[IntroRow, ...]:
    try:
        prompts = [intro_prompts(lang, scenario) for lang in LANGUAGES]
    except RadixVizError:
        return ()
    return tuple(
        IntroRow({lang: prompt.label for lang, prompt in zip(LANGUAGES, row, strict=True)}, row[0].tokens)
        for row in zip(*prompts, strict=True)
    )


def _both(words: Words) -> dict[str, str]:
    return {"en": words.en, "zh": words.zh}
