"""The numbers beside the tree: how long the prompt is, how much of it was there, what that saved."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from radixviz.render.visible import visible
from radixviz.render.words import say
from radixviz.timeline import Frame, SequenceView

_SHORT = 4
"""Characters of a number up to which a row of them is set large."""


def number_panel(frame: Frame, lang: str) -> str:
    """Return L, L_hit and the computed tokens of this stage's requests, the totals so far, and the locks."""
    groups = prompts(frame)
    first = (
        ("prompt", _each(groups, lambda sequence: sequence.prompt_len)),
        ("hit", _each(groups, lambda sequence: sequence.prefix_len)),
        ("computed", _each(groups, computed)),
    )
    metrics = frame.metrics
    second = (
        ("hit_rate.total", f"{metrics.hit_rate:.0%}"),
        ("saved.total", f"{metrics.cached_tokens:,}"),
        ("computed.total", f"{metrics.computed_tokens:,}"),
    )
    return (
        f'<section class="rv-numbers">{_row(first, lang, "rv-now-row")}{_row(second, lang, "rv-sum-row")}'
        f"{_locks(frame, lang)}</section>"
    )


def prompts(frame: Frame) -> tuple[SequenceView, ...]:
    """Return one sequence for each request: samples share their prompt, so it counts once."""
    return tuple({sequence.request_id: sequence for sequence in reversed(frame.sequences)}.values())[::-1]


def computed(sequence: SequenceView) -> int:
    """Return the prompt tokens that prefill computed, those computed before included."""
    return sequence.count("computed") + sequence.count("again")


def _each(groups: tuple[SequenceView, ...], number: Callable[[SequenceView], int]) -> str:
    return " + ".join(str(number(sequence)) for sequence in groups) or "0"


def _row(entries: tuple[tuple[str, str], ...], lang: str, css: str) -> str:
    size = "rv-long" if any(len(value) > _SHORT for _, value in entries) else ""
    cells = "".join(
        f'<div data-number="{name}"><b>{value}</b>{escape(say(lang, f"metric.{name}"))}</div>'
        for name, value in entries
    )
    return f'<div class="{css} {size}">{cells}</div>'


def _locks(frame: Frame, lang: str) -> str:
    held = (node for node in frame.tree.nodes if node.lock_ref)
    names = [f"{_name(frame, node.node_id)} {node.lock_ref}" for node in held]
    text = " · ".join(names) if names else say(lang, "node.none_locked")
    return f'<p class="rv-locks" data-locks="{len(names)}"><b>lock_ref</b> {escape(text)}</p>'


def _name(frame: Frame, node_id: int) -> str:
    mark = frame.labels.get(node_id)
    return visible(mark.name) if mark and mark.name else f"#{node_id}"
