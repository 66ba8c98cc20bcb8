"""The scenario that the page tells, read once, and its introduction, which needs no model."""

from __future__ import annotations

import streamlit as st

from radixviz.errors import RadixVizError, UnknownModel
from radixviz.introduction import player_intro
from radixviz.model.chat_tokenizer import read_tokenizer
from radixviz.model.folder import TINY, locate
from radixviz.model.hub import local_folder
from radixviz.model.tokenizer import TextTokenizer
from radixviz.render.player_data import PlayerIntro
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.scenario.schema import Scenario

NINE_STAGES = "nine-stages"


@st.cache_resource(show_spinner=False)
def story(name: str = NINE_STAGES) -> Scenario:
    """Return the scenario, shared by all sessions.

    Raises UnknownScenario or BadScenario.
    """
    return load_scenario(find_scenario(name))


def introduction(scenario: Scenario, source: str = TINY) -> PlayerIntro:
    """Return the introduction in the tokens of a model that is here (a hub's that is not: in the tiny one's).

    It is without prompts where the tokenizer is missing: then the page says why.
    """
    try:
        return _introduction(scenario) if source == TINY else _introduction_of(scenario, scenario.id, source)
    except UnknownModel:
        return introduction(scenario)
    except RadixVizError:
        return player_intro(scenario, None)


@st.cache_resource(show_spinner=False)
def tiny_tokenizer() -> TextTokenizer:
    """Return the tiny model's tokenizer; no torch is needed for it.

    Raises ModelRefused.
    """
    return TextTokenizer.from_folder(locate(TINY))


@st.cache_resource(show_spinner=False)
def _introduction(_scenario: Scenario) -> PlayerIntro:
    return player_intro(_scenario, tiny_tokenizer())


@st.cache_resource(show_spinner=False, max_entries=4)
def _introduction_of(_scenario: Scenario, name: str, source: str) -> PlayerIntro:
    return player_intro(_scenario, read_tokenizer(local_folder(source)))
