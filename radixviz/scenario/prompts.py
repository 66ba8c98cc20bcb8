"""Prompts: the token ids that a request of a scenario sends."""

from __future__ import annotations

from collections.abc import Mapping

from radixviz.engine.tokenizer import Tokenizer
from radixviz.scenario.schema import RequestSpec, Scenario


def own_ids(scenario: Scenario, request: RequestSpec, tokenizer: Tokenizer) -> tuple[int, ...]:
    """Return the token ids that this request adds: for a later turn of a chat only those of that turn."""
    if request.kind == "text":
        before = scenario.text[request.before].text if request.before else ""
        return tokenizer.encode(before + (request.text or ""))
    if request.system is None:
        return tokenizer.chat_turn(request.user or "")
    return tokenizer.chat_opening(request.system, request.user or "")


def opening_ids(scenario: Scenario, request: RequestSpec, tokenizer: Tokenizer) -> tuple[int, ...]:
    """Return the prompt with which this request would open its session: no earlier turn, so no answer, is in it."""
    if request.kind == "text":
        return own_ids(scenario, request, tokenizer)
    turns = (turn for turn in scenario.request if turn.kind == "chat" and turn.session == request.session)
    system = next(turn.system for turn in turns)
    return tokenizer.chat_opening(system or "", request.user or "")


def history_of(scenario: Scenario, request: RequestSpec) -> str | None:
    """Return the id of the sequence whose prompt and answer come before this request's own tokens, or None."""
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
    """Return the prompt: the history's token ids as they were, never encoded again, and those that are new.

    `conversations` holds prompt and answer, without the stop token, of each sequence so far, by its id.
    """
    own = own_ids(scenario, request, tokenizer)
    history = history_of(scenario, request)
    return own if history is None else conversations[history] + own
