"""What must hold of the stages of a scenario, and of the names and letters that they use."""

from __future__ import annotations

from collections.abc import Iterator

from radixviz.scenario.asked import Asked
from radixviz.scenario.fault import Fault, limit_faults, mark_faults, repeats, sentence_faults, words_faults
from radixviz.scenario.question_checks import question_faults
from radixviz.scenario.schema import Bind, Scenario, StageSpec, StopSpec, Words
from radixviz.timeline import PLACEHOLDERS


def name_faults(scenario: Scenario, asked: Asked) -> Iterator[Fault]:
    """Yield the faults of the nodes' names."""
    yield from repeats((f"name {spec.name}", "name", spec.name) for spec in scenario.name)
    for spec in scenario.name:
        where = f"name {spec.name}"
        yield from mark_faults(where, "name", spec.name)
        yield from words_faults(where, "words", spec.words)
        yield from limit_faults(where, "since", spec.since)
        if not spec.bind:
            yield Fault(where, "bind", "missing")
        for bind in spec.bind:
            yield from _bind_faults(bind, where, "bind", asked, len(scenario.stage))


def _bind_faults(bind: Bind, where: str, field: str, asked: Asked, place: int) -> Iterator[Fault]:
    """Check that a bind names one node, by what is asked in the stages up to `place`."""
    ways = [way for way in ("last", "prompt", "common") if getattr(bind, way)]
    if not ways:
        yield Fault(where, field, "missing")
    for way in ways[1:]:
        yield Fault(where, f"{field}.{way}", "misplaced")
    if len(bind.common) == 1:
        yield Fault(where, f"{field}.common", "count", "1")
    for sequence in (bind.last, *bind.common):
        if sequence and asked.sequences.get(sequence, place + 1) > place:
            yield Fault(where, field, "unbound", sequence)
    if bind.prompt and asked.requests.get(bind.prompt, place + 1) > place:
        yield Fault(where, field, "unbound", bind.prompt)


def stage_faults(scenario: Scenario, asked: Asked) -> Iterator[Fault]:
    """Yield the faults of all stages: their letters, stops and expectations."""
    yield from repeats((f"stage {stage.stage}", "stage", str(stage.stage)) for stage in scenario.stage)
    yield from _order_faults(scenario.stage)
    yield from repeats(
        (f"stage {stage.stage}", "requests", request) for stage in scenario.stage for request in stage.requests
    )
    names = frozenset(spec.name for spec in scenario.name)
    letters: frozenset[str] = frozenset()
    for place, stage in enumerate(scenario.stage):
        where = f"stage {stage.stage}"
        letters |= {spec.letter for spec in stage.letters}
        yield from words_faults(where, "title", stage.title)
        yield from words_faults(where, "short", stage.short)
        for request in stage.requests:
            if scenario.find_request(request) is None:
                yield Fault(where, "requests", "unknown", request)
        yield from _letter_faults(stage, where, asked, place)
        for stop in stage.stops:
            yield from _stop_faults(stop, where, _sequences(scenario, stage), names | letters)
        for question in stage.questions:
            yield from question_faults(question, where, _sequences(scenario, stage), names | letters, asked)
        yield from _expect_faults(stage, where, _sequences(scenario, stage), names, letters)


def _order_faults(stages: tuple[StageSpec, ...]) -> Iterator[Fault]:
    last = -1
    for place, stage in enumerate(stages):
        if isinstance(stage.stage, int):
            if stage.stage < 1:
                yield Fault(f"stage {stage.stage}", "stage", "limit", str(stage.stage))
            elif stage.stage < last:
                yield Fault(f"stage {stage.stage}", "stage", "order", str(stage.stage))
            last = stage.stage
        elif place != len(stages) - 1:
            yield Fault(f"stage {stage.stage}", "stage", "order", stage.stage)


def _sequences(scenario: Scenario, stage: StageSpec) -> frozenset[str]:
    requests = (request for request in map(scenario.find_request, stage.requests) if request is not None)
    return frozenset(sequence for request in requests for sequence in request.sequence_ids())


def _letter_faults(stage: StageSpec, where: str, asked: Asked, place: int) -> Iterator[Fault]:
    yield from repeats((where, "letters", spec.letter) for spec in stage.letters)
    for spec in stage.letters:
        yield from mark_faults(where, "letters", spec.letter)
        yield from _bind_faults(spec.bind, where, f"letters.{spec.letter}", asked, place)


def _stop_faults(stop: StopSpec, where: str, sequences: frozenset[str], marks: frozenset[str]) -> Iterator[Fault]:
    if stop.sequence is not None and stop.sequence not in sequences:
        yield Fault(where, "stops.sequence", "unknown", stop.sequence)
    if stop.nth == 0 or stop.nth < -1:
        yield Fault(where, "stops.nth", "limit", str(stop.nth))
    for field in ("say", "why"):
        words: Words = getattr(stop, field)
        yield from words_faults(where, f"stops.{field}", words)
        yield from sentence_faults(where, f"stops.{field}", words, PLACEHOLDERS, marks)


def _expect_faults(
    stage: StageSpec, where: str, sequences: frozenset[str], names: frozenset[str], letters: frozenset[str]
) -> Iterator[Fault]:
    expect = stage.expect
    for field, given, known in (
        ("hit", expect.hit, sequences),
        ("miss", expect.miss, sequences),
        ("evicted", expect.evicted, letters),
        ("looks", tuple(expect.looks), names),
    ):
        for value in given:
            if value not in known:
                yield Fault(where, f"expect.{field}", "unbound" if field == "evicted" else "unknown", value)
    for value in expect.miss:
        if value in expect.hit:
            yield Fault(where, "expect.miss", "duplicate", value)
