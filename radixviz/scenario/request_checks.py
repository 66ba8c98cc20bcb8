"""What must hold of the requests of a scenario."""

from __future__ import annotations

from collections.abc import Iterator

from radixviz.scenario.asked import Asked
from radixviz.scenario.fault import (
    Fault,
    empty_faults,
    limit_faults,
    misplaced_faults,
    repeats,
    required_faults,
    words_faults,
)
from radixviz.scenario.schema import RequestSpec, Scenario

_NEVER = -1
"""In the place of a stage: of a turn that no stage asks."""


def request_faults(scenario: Scenario, asked: Asked) -> Iterator[Fault]:
    """Yield the faults of all requests."""
    yield from repeats((f"request {request.id}", "id", request.id) for request in scenario.request)
    opened: dict[str, int] = {}
    for request in scenario.request:
        where = f"request {request.id}"
        yield from empty_faults(where, id=request.id)
        yield from words_faults(where, "label", request.label)
        yield from words_faults(where, "short", request.short)
        yield from _reply_faults(request, where)
        if request.kind == "chat":
            yield from _chat_faults(request, where, opened, asked)
        else:
            yield from _text_faults(request, where, scenario, asked)


def _chat_faults(request: RequestSpec, where: str, opened: dict[str, int], asked: Asked) -> Iterator[Fault]:
    """Check a chat turn; `opened` remembers the stage of each session's turn before."""
    yield from misplaced_faults(where, before=request.before, text=request.text, continues=request.continues)
    yield from required_faults(where, session=request.session, user=request.user)
    session, stage = request.session or "", asked.requests.get(request.id)
    never_asked = opened.get(session) == _NEVER
    if session not in opened:
        yield from required_faults(where, system=request.system)
    else:
        yield from misplaced_faults(where, system=request.system)
        if stage is not None and (never_asked or stage <= opened[session]):
            yield Fault(where, "session", "order", session)
    opened[session] = _NEVER if stage is None else stage


def _text_faults(request: RequestSpec, where: str, scenario: Scenario, asked: Asked) -> Iterator[Fault]:
    yield from misplaced_faults(where, session=request.session, system=request.system, user=request.user)
    yield from required_faults(where, text=request.text)
    if request.before is not None and request.before not in scenario.text:
        yield Fault(where, "before", "unknown", request.before)
    if request.continues is None:
        return
    yield from misplaced_faults(where, before=request.before)
    other = scenario.find_request(request.continues.request)
    if other is None:
        yield Fault(where, "continues.request", "unknown", request.continues.request)
        return
    if not 1 <= request.continues.sample <= other.samples:
        yield Fault(where, "continues.sample", "unknown", str(request.continues.sample))
    if request.id in asked.requests and not asked.before(other.id, asked.requests[request.id]):
        yield Fault(where, "continues.request", "order", other.id)


def _reply_faults(request: RequestSpec, where: str) -> Iterator[Fault]:
    yield from limit_faults(where, "samples", request.samples)
    if request.temperature < 0:
        yield Fault(where, "temperature", "limit", str(request.temperature))
    if len(request.reply_lengths()) != request.samples:
        yield Fault(where, "reply_tokens", "count", str(len(request.reply_lengths())))
    for length in request.reply_lengths():
        yield from limit_faults(where, "reply_tokens", length)
    yield from _replies_faults(request, where)


def _replies_faults(request: RequestSpec, where: str) -> Iterator[Fault]:
    several = request.samples > 1
    if several:
        yield from misplaced_faults(where, reply=request.reply)
    elif request.replies:
        yield Fault(where, "replies", "misplaced")
    for field, texts in (("replies", request.replies), ("gloss.replies", request.gloss.replies)):
        if several and texts and len(texts) != request.samples:
            yield Fault(where, field, "count", str(len(texts)))
        for text in texts:
            yield from empty_faults(where, **{field: text})
    if request.reply is not None:
        yield from empty_faults(where, reply=request.reply)
