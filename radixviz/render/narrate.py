"""The sentence about a frame: what happens in it, with its real numbers, and why.

At a stop the author speaks; at every other frame, and where the run did not do what the author tells, a sentence of
the word lists does. It is chosen by what happened, so it is true of any run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from radixviz.events import NodeEvicted, PageShort, SequenceRetracted
from radixviz.render.moment import moment
from radixviz.render.spans import Role, Span, plain, read_spans
from radixviz.render.values import batch, focus, frame_values
from radixviz.render.words import say, words
from radixviz.timeline import MARKUP, Frame, NodeMark, SequenceView, StopInfo, Timeline

__all__ = ["Role", "Sentence", "Span", "frame_values", "narrate", "plain", "role_of"]

HAPPENINGS = frozenset({"again", "short", "freed", "freed_tokens", "duplicate_pages", "split_at"})
"""Numbers of things that a frame may be without: an author's sentence about one of them needs it to be there."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is said about one frame, and the line that says why."""

    say: tuple[Span, ...]
    why: tuple[Span, ...]


def narrate(timeline: Timeline, frame: Frame, lang: str) -> Sentence:
    """Return the sentence about this frame and its why line.

    Raises UnknownLanguage.
    """
    listed = words(lang)
    values = frame_values(timeline, frame)
    stop = _author(timeline, frame)
    if stop is not None and _holds(timeline, frame, stop, values):
        texts = stop.say[lang], stop.why[lang]
    else:
        what, why = moment(frame, values)
        texts = listed[f"say.{what}"], listed[f"why.{why}"]
    known: dict[str, int | Span] = {**values, "request": _request(timeline, frame, lang), "node": _evicted(frame, lang)}
    first, second = (read_spans(text, known, lambda mark: role_of(frame, mark)) for text in texts)
    return Sentence(_capitalized(first, lang), second)


def _author(timeline: Timeline, frame: Frame) -> StopInfo | None:
    return None if frame.stop is None else timeline.script.stage(frame.stage).stops[frame.stop]


def _holds(timeline: Timeline, frame: Frame, stop: StopInfo, values: Mapping[str, int]) -> bool:
    """Tell whether what the author says here is true: the stage went as expected, and what is counted is there."""
    if any(unmet.stage == frame.stage for unmet in timeline.unmet):
        return False
    asked = {found["value"] for text in (*stop.say.values(), *stop.why.values()) for found in MARKUP.finditer(text)}
    return all(values[name] for name in asked & HAPPENINGS)


# ------------------------------------------------------------------------------------------------ who and which node
def _request(timeline: Timeline, frame: Frame, lang: str) -> Span:
    """Return how the frame's requests are called: one by its label, several by their number."""
    retracted = {event.sequence_id for event in frame.events if isinstance(event, SequenceRetracted)}
    view = next((view for view in frame.sequences if view.sequence_id in retracted), focus(frame))
    several = len(batch(frame))
    if view is None:
        return Span("")
    if several > 1 and not retracted and not any(isinstance(event, PageShort) for event in frame.events):
        return Span(say(lang, "request.several", n=several))
    return Span(_label(timeline, frame, view, lang))


def _label(timeline: Timeline, frame: Frame, view: SequenceView, lang: str) -> str:
    info = timeline.script.requests.get(view.request_id)
    label = info.label[lang] if info else view.request_id
    # Before the prompt is computed there is one sequence for all samples.
    if view.samples == 1 or frame.phase not in ("decode", "cache") or len(frame.requests) > 1:
        return label
    alone = len({other.request_id for other in frame.sequences}) == 1
    return say(lang, "sample" if alone else "request.sample", label=label, n=view.sample)


def _evicted(frame: Frame, lang: str) -> Span:
    """Return how the nodes that were evicted in this frame are called."""
    gone = [event for event in frame.events if isinstance(event, NodeEvicted)]
    names = []
    for event in gone:
        mark = frame.labels.get(event.node_id)
        name = (mark.name or mark.letter) if mark else None
        names.append(name or say(lang, "node.unnamed", n=len(event.token_ids)))
    return Span(say(lang, "comma").join(names), "evicted")


def role_of(frame: Frame, mark: str) -> Role:
    """Return the look of the node of this name or letter, an earlier letter counting last; cached if none has it."""
    marks = frame.labels.values()
    for has in (_is_named, _has_letter, _had_letter):
        for one in marks:
            if has(one, mark):
                return one.look
    return "cached"


def _is_named(mark: NodeMark, name: str) -> bool:
    # A node may have several names, joined.
    return name in re.findall(r"\w+", mark.name or "")


def _has_letter(mark: NodeMark, letter: str) -> bool:
    return mark.letter == letter


def _had_letter(mark: NodeMark, letter: str) -> bool:
    return letter in mark.letters


def _capitalized(spans: tuple[Span, ...], lang: str) -> tuple[Span, ...]:
    """Return the sentence with a capital at its beginning where the language has capitals."""
    if lang != "en" or not spans or spans[0].role is not None:
        return spans
    first = spans[0].text
    return (Span(first[:1].upper() + first[1:]), *spans[1:])
