"""Whether the parts of a timeline fit together: one that was read from a file may hold anything of the right types."""

from __future__ import annotations

from collections.abc import Iterator

from radixviz.cache.snapshot import NodeView
from radixviz.render.words import LANGUAGES
from radixviz.timeline import (
    AMOUNT,
    AMOUNTS,
    MARKUP,
    PLACEHOLDERS,
    Frame,
    QuestionInfo,
    Script,
    SequenceView,
    Timeline,
    Words,
)

_MOST_PAGE = 1_000_000_000
_MOST_DIGITS = 9


def wrong_place(timeline: Timeline) -> str | None:
    """Return the first place that does not fit the rest, as it is called in the file; None when all of it fits."""
    return next(_wrong_places(timeline), None)


def _wrong_places(timeline: Timeline) -> Iterator[str]:
    yield from (f"script.{place}" for place in _script_places(timeline.script))
    for index, frame in enumerate(timeline.frames):
        before = timeline.frames[index - 1] if index else None
        yield from (f"frames[{index}].{place}" for place in _order_places(timeline, index, before, frame))
        yield from (f"frames[{index}].{place}" for place in _tree_places(timeline, frame))
        yield from (f"frames[{index}].{place}" for place in _sequence_places(timeline, frame))


# ------------------------------------------------------------------------------------------------ words
def _script_places(script: Script) -> Iterator[str]:
    texts = [("title", script.title), *((f"names.{name}", words) for name, words in script.names.items())]
    for place, stage in enumerate(script.stages):
        where = f"stages[{place}]"
        texts += [(f"{where}.title", stage.title), (f"{where}.short", stage.short)]
        for number, stop in enumerate(stage.stops):
            told = [(f"{where}.stops[{number}].say", stop.say), (f"{where}.stops[{number}].why", stop.why)]
            yield from (place for place, words in told if not _asks_only(words, PLACEHOLDERS))
        for number, question in enumerate(stage.questions):
            yield from (f"{where}.questions[{number}].{place}" for place in _question_places(question))
    for name, info in script.requests.items():
        texts += [(f"requests.{name}.label", info.label), (f"requests.{name}.short", info.short)]
    yield from (where for where, words in texts if set(words) != set(LANGUAGES))


def _question_places(question: QuestionInfo) -> Iterator[str]:
    for name, words in (("ask", question.ask), ("why", question.why)):
        if not _asks_only(words, AMOUNTS):
            yield name
    if question.kind != "node" and not _is_amount(question.amount):
        yield "amount"
    for place, answer in enumerate(question.answers):
        if not answer.after and not _is_amount(answer.amount):
            yield f"answers[{place}].amount"
        for name, words in (("text", answer.text), ("say", answer.say)):
            if not _asks_only(words, AMOUNTS):
                yield f"answers[{place}].{name}"


def _is_amount(text: str) -> bool:
    """Tell whether an amount is made of numbers that a frame has, and of small ones."""
    terms = [term for term in text.split(" ") if term not in ("+", "-")]
    return AMOUNT.fullmatch(text) is not None and all(term in AMOUNTS or _is_small(term) for term in terms)


def _is_small(term: str) -> bool:
    return term.isascii() and term.isdecimal() and len(term) <= _MOST_DIGITS


def _asks_only(words: Words, known: frozenset[str]) -> bool:
    """Tell whether a text is there in each language, and asks for numbers only that a frame has."""
    asked = {found["value"] for text in words.values() for found in MARKUP.finditer(text)}
    return set(words) == set(LANGUAGES) and asked <= known | {None}


# ------------------------------------------------------------------------------------------------ frames
def _order_places(timeline: Timeline, index: int, before: Frame | None, frame: Frame) -> Iterator[str]:
    """Check that frames are numbered, that a stage is told at one stretch, and that stops are its script's."""
    info = next((info for info in timeline.script.stages if info.stage == frame.stage), None)
    goes_on = before is not None and before.stage == frame.stage
    if frame.index != index:
        yield "index"
    if info is None or (not goes_on and any(one.stage == frame.stage for one in timeline.frames[:index])):
        yield "stage"
    if frame.stage_frame != (before.stage_frame + 1 if before is not None and goes_on else 1):
        yield "stage_frame"
    if frame.stop is not None and not 0 <= frame.stop < (len(info.stops) if info else 0):
        yield "stop"
    if frame.question is not None and not 0 <= frame.question < (len(info.questions) if info else 0):
        yield "question"


def _tree_places(timeline: Timeline, frame: Frame) -> Iterator[str]:
    if not 1 <= frame.tree.page_size <= _MOST_PAGE:
        yield "tree.page_size"
    if frame.pool.page_size != frame.tree.page_size:
        yield "pool.page_size"
    known: set[int | None] = {None}
    for place, node in enumerate(frame.tree.nodes):
        yield from (f"tree.nodes[{place}].{name}" for name in _node_places(timeline, node))
        if node.node_id in known:
            yield f"tree.nodes[{place}].node_id"
        if node.parent_id not in known:
            yield f"tree.nodes[{place}].parent_id"
        known.add(node.node_id)
    for place, ghost in enumerate(frame.ghosts):
        yield from (f"ghosts[{place}].node.{name}" for name in _node_places(timeline, ghost.node))
        if ghost.node.node_id in known:
            yield f"ghosts[{place}].node.node_id"
        if not 0 <= ghost.evicted_in <= frame.index:
            yield f"ghosts[{place}].evicted_in"
        known.add(ghost.node.node_id)


def _node_places(timeline: Timeline, node: NodeView) -> Iterator[str]:
    if not timeline.token_bytes.keys() >= set(node.token_ids):
        yield "token_ids"
    if len(node.slots) != len(node.token_ids):
        yield "slots"


def _sequence_places(timeline: Timeline, frame: Frame) -> Iterator[str]:
    known: set[str] = set()
    for place, view in enumerate(frame.sequences):
        yield from (f"sequences[{place}].{name}" for name in _view_places(timeline, view))
        if view.sequence_id in known:
            yield f"sequences[{place}].sequence_id"
        known.add(view.sequence_id)


def _view_places(timeline: Timeline, view: SequenceView) -> Iterator[str]:
    counts = [span.count for span in view.spans]
    if not timeline.token_bytes.keys() >= set(view.token_ids):
        yield "token_ids"
    if min(counts, default=0) < 0 or sum(counts) != len(view.token_ids):
        yield "spans"
    if not 0 <= view.prompt_len <= len(view.token_ids):
        yield "prompt_len"
    if not 0 <= view.cached_tokens <= view.prompt_len:
        yield "cached_tokens"
    if not 0 <= view.prefix_len <= view.prompt_len:
        yield "prefix_len"
    if not 0 <= view.tail_len <= len(view.token_ids):
        yield "tail_len"
