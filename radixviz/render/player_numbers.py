"""The numbers beside the tree as the player in the browser gets them: see `frames` in `radixviz.render.player_data`."""

from __future__ import annotations

from collections.abc import Mapping

from radixviz.render.eviction_order import Turn
from radixviz.render.values import focus
from radixviz.render.visible import visible
from radixviz.render.words import LANGUAGES, say
from radixviz.timeline import Frame, SequenceView

NUMBERS = ("prompt", "hit", "computed", "hit_rate.total", "saved.total", "computed.total", "again")
"""In this order: three of this stage's requests, joined by +, and four totals since the start."""


def frame_numbers(frame: Frame) -> list[str]:
    """Return the texts of NUMBERS."""
    groups = prompts(frame)
    totals = frame.metrics
    each = ([view.prompt_len for view in groups], [view.prefix_len for view in groups], [_computed(v) for v in groups])
    return [
        *(" + ".join(map(str, row)) or "0" for row in each),
        f"{totals.hit_rate:.0%}",
        f"{totals.cached_tokens:,}",
        f"{totals.computed_tokens:,}",
        f"{totals.again_tokens:,}",
    ]


def prompts(frame: Frame) -> tuple[SequenceView, ...]:
    """Return one sequence for each request: samples share their prompt, so it counts once."""
    return tuple({sequence.request_id: sequence for sequence in reversed(frame.sequences)}.values())[::-1]


def formula(frame: Frame) -> Mapping[str, list[str]]:
    """Return how L_hit becomes what is computed, with the numbers of the request that the frame is about."""
    view = focus(frame) or next(iter(frame.sequences), None)
    if view is None:
        return {lang: [] for lang in LANGUAGES}
    reused = "formula.reused" if frame.pool.page_size == 1 else "formula.floored"
    values = {"cached": view.cached_tokens, "computed": view.prompt_len - view.cached_tokens}
    return {lang: [say(lang, reused, **values), say(lang, "formula.computed", **values)] for lang in LANGUAGES}


def held_nodes(frame: Frame) -> list[str]:
    """Return each locked node with its lock_ref."""
    return [f"{_name(frame, node.node_id)} {node.lock_ref}" for node in frame.tree.nodes if node.lock_ref]


def next_to_go(frame: Frame, turns: Mapping[int, Turn]) -> list[str]:
    """Return the nodes in the order in which they would be evicted."""
    going = [(turn.place, node_id) for node_id, turn in turns.items() if turn.place is not None]
    return [_name(frame, node_id) for _, node_id in sorted(going)]


def _computed(sequence: SequenceView) -> int:
    """Return the prompt tokens that prefill computed, those computed before included."""
    return sequence.count("computed") + sequence.count("again")


def _name(frame: Frame, node_id: int) -> str:
    mark = frame.labels.get(node_id)
    return visible(mark.name or mark.letter or "" if mark else "") or f"#{node_id}"
