"""The player's stage 0 made from a scenario: where the scenario's words and what the player shows meet."""

from __future__ import annotations

from radixviz.engine.tokenizer import Tokenizer
from radixviz.render.player_data import IntroRow, PlayerIntro
from radixviz.scenario.prompts import opening_ids
from radixviz.scenario.schema import RequestSpec, Scenario, Words


def player_intro(scenario: Scenario, tokenizer: Tokenizer | None) -> PlayerIntro:
    """Return the introduction with its prompts as this tokenizer cuts them; without a tokenizer there are none."""
    intro = scenario.intro
    found = (scenario.find_request(request_id) for request_id in intro.requests)
    rows = () if tokenizer is None else tuple(_row(scenario, spec, tokenizer) for spec in found if spec is not None)
    return PlayerIntro(both(intro.title), both(intro.short), both(intro.say), both(intro.why), rows)


def both(words: Words) -> dict[str, str]:
    """Return a scenario's words by language."""
    return {"en": words.en, "zh": words.zh}


def _row(scenario: Scenario, spec: RequestSpec, tokenizer: Tokenizer) -> IntroRow:
    tokens = opening_ids(scenario, spec, tokenizer)
    return IntroRow(both(spec.short), tuple(map(tokenizer.token_bytes, tokens)))
