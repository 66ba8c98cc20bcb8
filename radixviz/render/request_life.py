"""The life of a request as a track of phases, with eviction as a side track."""

from __future__ import annotations

from html import escape

from radixviz.events import NodeEvicted, PageShort, Phase
from radixviz.render.words import say
from radixviz.timeline import Frame

PHASES: tuple[Phase, ...] = ("match", "lock", "extend", "decode", "cache")


def life_track(frame: Frame, lang: str) -> str:
    """Return the five phases, the current one lit, and below them the eviction when one happened in this frame."""
    steps = "".join(
        f'<b class="rv-{state}" data-phase-step="{phase}">{escape(say(lang, f"phase.{phase}"))}</b>'
        for phase, state in zip(PHASES, _states(frame), strict=True)
    )
    return f'<section class="rv-life"><div class="rv-steps">{steps}</div>{_side_track(frame, lang)}</section>'


def pages_short(frame: Frame) -> int:
    """Return how many pages were short in this frame."""
    return sum(event.short for event in frame.events if isinstance(event, PageShort))


def pages_evicted(frame: Frame) -> int:
    """Return how many pages eviction freed in this frame."""
    size = frame.pool.page_size
    return sum(len(event.slots) // size for event in frame.events if isinstance(event, NodeEvicted))


def _states(frame: Frame) -> list[str]:
    if not frame.sequences:
        return ["todo"] * len(PHASES)
    if frame.phase == "done":
        return ["past"] * len(PHASES)
    now = PHASES.index(frame.phase)
    return ["past" if index < now else "now" if index == now else "todo" for index in range(len(PHASES))]


def _side_track(frame: Frame, lang: str) -> str:
    freed, short = pages_evicted(frame), pages_short(frame)
    if not freed:
        return '<div class="rv-side-track rv-empty"></div>'
    text = say(lang, "evict.badge" if short else "evict.badge.more", short=short, freed=freed)
    return f'<div class="rv-side-track" data-short="{short}" data-freed="{freed}">{escape(text)}</div>'
