"""The question that is asked before a frame is shown: its texts, its right answer and what is said to each answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from radixviz.cache.snapshot import NodeView
from radixviz.events import NodeEvicted, RequestMatched
from radixviz.render.eviction_order import Turn, eviction_order
from radixviz.render.narrate import role_of
from radixviz.render.questions.amount import amount, question_values, tokens_until, word_before
from radixviz.render.questions.before import frame_before
from radixviz.render.spans import Span, read_spans
from radixviz.render.tree_boxes import node_key
from radixviz.render.values import focus
from radixviz.render.visible import visible
from radixviz.render.words import LANGUAGES, say
from radixviz.timeline import AnswerInfo, Frame, QuestionInfo, Timeline, Words

Told = Mapping[str, tuple[Span, ...]]
"""The same text in each language, by language code."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question about one frame.

    An answer is a text: a number is its digits, an option its place from 1, a node the key of its box. `right` are the
    right ones and `named` what they are called; `said` is what each foreseen answer is told, and `why` all others. A
    number is from 0 to `most`.
    """

    info: QuestionInfo
    before: Frame
    ask: Told
    why: Told
    options: tuple[Words, ...]
    right: tuple[str, ...]
    named: Words
    said: Mapping[str, Told]
    most: int


def frame_question(timeline: Timeline, frame: Frame) -> Question | None:
    """Return the question of this frame, if it has one that this run gives one right answer to.

    The run may be still going on: what is to come in it is asked about once it is there.
    """
    if frame.question is None:
        return None
    info = timeline.script.stage(frame.stage).questions[frame.question]
    seen = _numbers_frame(timeline, info, frame)
    if seen is None:
        return None
    values = question_values(timeline, seen)

    def told(text: Words) -> Told:
        return {lang: read_spans(text[lang], values, lambda mark: role_of(frame, mark)) for lang in LANGUAGES}

    before = frame_before(timeline, frame)
    right, named, said = _answers(timeline, info, seen, before, values, told)
    if not right:
        return None
    return Question(
        info,
        before,
        told(info.ask),
        told(info.why),
        tuple(_option(timeline, answer, seen, values) for answer in info.answers) if info.kind == "choice" else (),
        right,
        named,
        said,
        frame.pool.total * frame.pool.page_size,
    )


Answers = tuple[tuple[str, ...], Words, Mapping[str, Told]]
"""Which answers are right, what these are called, and what is said to each foreseen one."""


def _answers(
    timeline: Timeline,
    info: QuestionInfo,
    seen: Frame,
    before: Frame,
    values: Mapping[str, int],
    told: Callable[[Words], Told],
) -> Answers:
    if info.kind == "node":
        return _node_answers(seen, before, told(info.why))
    right = amount(info.amount, values)
    amounts = [_amount(timeline, answer, seen, values) for answer in info.answers]
    if info.kind == "number":
        wrong = {
            str(found): told(answer.say)
            for found, answer in zip(amounts, info.answers, strict=True)
            if found is not None and found != right
        }
        text = str(right)
        return (text,), dict.fromkeys(LANGUAGES, text), {**wrong, text: told(info.why)}
    places = [place for place, found in enumerate(amounts) if found == right]
    if len(places) != 1:
        return (), {}, {}
    said = {str(place + 1): told(answer.say) for place, answer in enumerate(info.answers) if all(answer.say.values())}
    text = str(places[0] + 1)
    return (text,), _option(timeline, info.answers[places[0]], seen, values), {**said, text: told(info.why)}


def _amount(timeline: Timeline, answer: AnswerInfo, seen: Frame, values: Mapping[str, int]) -> int | None:
    if not answer.after:
        return amount(answer.amount, values)
    view = focus(seen)
    return None if view is None else tokens_until(timeline, view, answer.after)


def _option(timeline: Timeline, answer: AnswerInfo, seen: Frame, values: Mapping[str, int]) -> Words:
    """Return how an answer is offered: by the author's text, else by the word that ends at its place in the prompt."""
    view = focus(seen)
    if any(answer.text.values()) or view is None:
        return answer.text
    return dict.fromkeys(LANGUAGES, f"“{visible(word_before(timeline, view, amount(answer.amount, values)))}”")


def _node_answers(frame: Frame, before: Frame, why: Told) -> Answers:
    """Return the nodes that are evicted in this frame; each other one is told why it stays."""
    gone = [event.node_id for event in frame.events if isinstance(event, NodeEvicted)]
    turns = eviction_order(before.tree)
    said = {
        str(node_key(node.node_id)): why if node.node_id in gone else _stays(before, node, turns[node.node_id])
        for node in before.tree.nodes
    }
    named = {lang: say(lang, "comma").join(_name(before, node_id, lang) for node_id in gone) for lang in LANGUAGES}
    return tuple(str(node_key(node_id)) for node_id in gone), named, said


def _stays(before: Frame, node: NodeView, turn: Turn) -> Told:
    key = {"locked": "ask.locked", "children": "ask.children", "oldest": "ask.later"}[turn.reason]
    return {
        lang: (Span(say(lang, key, node=_name(before, node.node_id, lang), n=node.lock_ref)),) for lang in LANGUAGES
    }


def _name(frame: Frame, node_id: int, lang: str) -> str:
    """Return what a node is called, with its letter: a sentence beside it may call it by that alone."""
    mark = frame.labels.get(node_id)
    name, letter = (mark.name, mark.letter) if mark else (None, None)
    if name and letter:
        return visible(say(lang, "node.lettered", name=name, letter=letter))
    return visible(name or letter or "") or f"#{node_id}"


def _numbers_frame(timeline: Timeline, info: QuestionInfo, frame: Frame) -> Frame | None:
    """Return the frame whose numbers the question is about: its own, or that in which a sequence is looked up."""
    if info.sequence is None:
        return frame
    looked_up = (
        later
        for later in timeline.frames
        for event in later.events
        if isinstance(event, RequestMatched) and event.sequence_id == info.sequence
    )
    return next(looked_up, None)
