"""What must hold between the parts of a scenario, beyond their shapes."""

from __future__ import annotations

from collections.abc import Iterator

from radixviz.scenario.asked import asked_in
from radixviz.scenario.fault import Fault, empty_faults, limit_faults, sentence_faults, words_faults
from radixviz.scenario.request_checks import request_faults
from radixviz.scenario.schema import Intro, Scenario, Words
from radixviz.scenario.stage_checks import name_faults, stage_faults


def faults(scenario: Scenario) -> Iterator[Fault]:
    """Yield every fault of a scenario whose shapes are right, lazily and in the order of the file."""
    asked = asked_in(scenario)
    yield from _top_faults(scenario)
    yield from _intro_faults(scenario.intro, scenario)
    yield from request_faults(scenario, asked)
    yield from name_faults(scenario, asked)
    yield from stage_faults(scenario, asked)


def _top_faults(scenario: Scenario) -> Iterator[Fault]:
    yield from limit_faults("", "page_size", scenario.page_size)
    yield from limit_faults("", "pool_pages", scenario.pool_pages)
    yield from empty_faults("", id=scenario.id)
    yield from words_faults("", "title", scenario.title)
    for name, shared in scenario.text.items():
        yield from empty_faults("", **{f"text.{name}.text": shared.text, f"text.{name}.gloss": shared.gloss})
    if not scenario.stage:
        yield Fault("", "stage", "missing")


def _intro_faults(intro: Intro, scenario: Scenario) -> Iterator[Fault]:
    for field in ("title", "short", "say", "why"):
        words: Words = getattr(intro, field)
        yield from words_faults("", f"intro.{field}", words)
        # There is no frame yet that a number or a node could come from.
        yield from sentence_faults("", f"intro.{field}", words, frozenset(), frozenset())
    for request in intro.requests:
        if scenario.find_request(request) is None:
            yield Fault("", "intro.requests", "unknown", request)
