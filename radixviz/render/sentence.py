"""The sentence and its reason, in the colours of the figure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from radixviz.render.narrate import Span, narrate
from radixviz.timeline import Frame, Timeline


def sentence_panel(timeline: Timeline, frame: Frame, lang: str, notices: Sequence[str] = ()) -> str:
    """Return the stage's number, the sentence about this frame, the line that says why, and notices if any."""
    sentence = narrate(timeline, frame, lang)
    mark = "+" if frame.stage == "encore" else str(frame.stage)
    return say_block(mark, spans(sentence.say), spans(sentence.why), notices)


def say_block(mark: str, say: str, why: str, notices: Sequence[str] = ()) -> str:
    """Return the block at the head of the page; `say` and `why` are HTML already, `notices` are text."""
    noted = "".join(f'<p class="rv-notice" role="status">{escape(notice)}</p>' for notice in notices)
    return (
        f'<header class="rv-say"><div class="rv-stage">{escape(mark)}</div>'
        f'<p class="rv-sentence" data-say>{say}</p><p class="rv-why" data-why>{why}</p>{noted}</header>'
    )


def spans(parts: tuple[Span, ...]) -> str:
    """Return the spans as HTML: those with a role are emphasised in the role's colour."""
    return "".join(
        f'<em class="rv-role-{part.role}">{escape(part.text)}</em>' if part.role else escape(part.text)
        for part in parts
    )
