"""The scenario that the page tells, read once, and what its introduction shows without a model."""

from __future__ import annotations

import streamlit as st

from radixviz.model.folder import TINY, locate
from radixviz.model.tokenizer import TextTokenizer
from radixviz.render.intro import IntroPrompt
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.scenario.prompts import opening_text
from radixviz.scenario.schema import RequestSpec, Scenario, Words

NINE_STAGES = "nine-stages"


@st.cache_resource(show_spinner=False)
def story(name: str = NINE_STAGES) -> Scenario:
    """Return the scenario, shared by all sessions.

    Raises UnknownScenario or BadScenario.
    """
    return load_scenario(find_scenario(name))


@st.cache_resource(show_spinner=False)
def intro_prompts(lang: str, _scenario: Scenario) -> tuple[IntroPrompt, ...]:
    """Return the prompts of the introduction as tokens of the tiny model's tokenizer; no torch is needed for them."""
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    found = (_scenario.find_request(request_id) for request_id in _scenario.intro.requests)
    return tuple(_prompt(_scenario, spec, tokenizer, lang) for spec in found if spec is not None)


def in_language(words: Words, lang: str) -> str:
    """Return the text of these words in a language."""
    return words.zh if lang == "zh" else words.en


def _prompt(scenario: Scenario, spec: RequestSpec, tokenizer: TextTokenizer, lang: str) -> IntroPrompt:
    ids = tokenizer.encode(opening_text(scenario, spec))
    return IntroPrompt(in_language(spec.short, lang), tuple(tokenizer.token_bytes(token) for token in ids))
