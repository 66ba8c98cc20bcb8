"""Prompts: the token ids that a request of a scenario sends."""

from __future__ import annotations

from collections.abc import Mapping

from radixviz.engine.tokenizer import Tokenizer
from radixviz.scenario.schema import RequestSpec, Scenario


def prompt_text(scenario: Scenario, request: RequestSpec) -> str:
    """Return the text that this request adds: for a later turn of a chat only that turn."""
    if request.kind == "chat":
        return f"{request.system or ''}\nUser: {request.user}\nAssistant:"
    before = scenario.text[request.before].text if request.before else ""
    return before + (request.text or "")


def opening_text(scenario: Scenario, request: RequestSpec) -> str:
    """Return the prompt with which this request would open its session: no earlier turn, so no answer, is in it."""
    if request.kind == "text":
        return prompt_text(scenario, request)
    turns = (turn for turn in scenario.request if turn.kind == "chat" and turn.session == request.session)
    system = next(turn.system for turn in turns)
    return f"{system}\nUser: {request.user}\nAssistant:"


def history_of(scenario: Scenario, request: RequestSpec) -> str | None:
    """Return the id of the sequence whose prompt and answer come before this request's own text, or None."""
    if request.continues:
        earlier = scenario.find_request(request.continues.request)
        return earlier.sequence_ids()[request.continues.sample - 1] if earlier else None
    if request.kind == "text":
        return None
    turns = [turn for turn in scenario.request if turn.kind == "chat" and turn.session == request.session]
    position = turns.index(request)
    return turns[position - 1].id if position else None


def prompt_ids(
    scenario: Scenario, request: RequestSpec, tokenizer: Tokenizer, conversations: Mapping[str, tuple[int, ...]]
) -> tuple[int, ...]:
    """Return the prompt: the history's token ids as they were, never encoded again, and those of the new text.

    `conversations` holds prompt and answer, without the stop token, of each sequence so far, by its id.
    """
    own = tokenizer.encode(prompt_text(scenario, request))
    history = history_of(scenario, request)
    return own if history is None else conversations[history] + own
