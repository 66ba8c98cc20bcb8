"""One box of the tree as the player in the browser gets it: see `boxes` in `radixviz.render.player_data`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from radixviz.cache.snapshot import NodeView
from radixviz.render.box_text import box_badge, box_count, box_head, box_line, box_lines, box_name
from radixviz.render.eviction_order import Turn
from radixviz.render.mini_tree import look_class
from radixviz.render.runs import Runs, runs
from radixviz.render.stage_scale import StageScales
from radixviz.render.table import Json
from radixviz.render.tree_boxes import TreeBox
from radixviz.render.tree_scale import TreeScale
from radixviz.render.words import LANGUAGES
from radixviz.timeline import Frame, NodeMark, SequenceView, Timeline

_DIGIT, _LETTER, _GAP = 7, 14, 2
_UNMARKED = NodeMark("cached")


def box_state(
    timeline: Timeline,
    frame: Frame,
    box: TreeBox,
    scales: StageScales,
    edge: int | None,
    turn: Turn | None,
) -> Json:
    """Return everything about one box of this frame; `edge` is the place of its tokens in the table of edges."""
    node = _node(frame, box)
    mark = frame.labels.get(box.node_id, _UNMARKED) if box.node_id is not None else _UNMARKED
    return {
        "key": box.key,
        "parent": box.parent,
        "css": look_class(box),
        "kind": box.kind,
        "look": box.look,
        "name": box.name,
        "letter": box.letter,
        "letters": list(mark.letters),
        "repeats": box.repeats,
        **_head(box, scales.near),
        "count": box_count(box),
        "badge": _worded(lambda lang: box_badge(box, lang)),
        "lines": _worded(lambda lang: box_lines(timeline, box, lang, scales.near.columns)),
        "edge": edge,
        "stored": box.stored,
        "running": box.running,
        "lock": box.lock_ref,
        "holders": _holders(frame, box),
        "node": box.node_id,
        "sequence": box.sequence_id,
        "pages": _pages(frame, box, node),
        "last": node.last_access if node else None,
        "hits": node.hit_count if node else None,
        "made": node.created if node else None,
        "order": turn.place if turn else None,
        "reason": turn.reason if turn else None,
        "was": box.evicted_in_stage,
        "hidden": box.hidden,
        "far": {
            **_head(box, scales.far, dict.fromkeys(LANGUAGES, f"#{box.sample}") if box.sample is not None else {}),
            "lines": _worded(lambda lang: box_line(timeline, box, lang, scales.far.columns)),
        },
    }


def _head(box: TreeBox, scale: TreeScale, short: Mapping[str, str] | None = None) -> Json:
    """Return the name and the count that are drawn; `short` stands for a name that would be cut."""
    heads = {lang: box_head(box, lang, lambda count: name_columns(box, scale, count)) for lang in LANGUAGES}
    titles = {lang: short[lang] if short and name != box_name(box, lang) else name for lang, (name, _) in heads.items()}
    return {"title": titles, "shown": min((count for _, count in heads.values()), key=len)}


def name_columns(box: TreeBox, scale: TreeScale, count: str) -> int:
    """Return how many columns the head of a box has for its name, beside letter, this count and lock."""
    held = len(str(box.lock_ref)) if scale.counts_holders else 0
    lock = 22 + _DIGIT * held if box.lock_ref else 0
    letter = _LETTER if box.letter else 0
    room = scale.box_width - 2 * scale.padding - _DIGIT * len(count) - letter - _GAP - lock
    return int(room / scale.name_column)


def _worded(text: Callable[[str], object]) -> Mapping[str, object]:
    return {lang: text(lang) for lang in LANGUAGES}


def _node(frame: Frame, box: TreeBox) -> NodeView | None:
    if box.node_id is None:
        return None
    ghosts = (ghost.node for ghost in frame.ghosts if ghost.node.node_id == box.node_id)
    return next(ghosts, None) if box.kind == "ghost" else frame.tree.node(box.node_id)


def _holders(frame: Frame, box: TreeBox) -> list[str]:
    """Return the sequences that hold the box: their deepest node is it or lies below it."""
    if box.node_id is None or not box.lock_ref:
        return []
    parents = {node.node_id: node.parent_id for node in frame.tree.nodes}
    return [view.sequence_id for view in frame.sequences if box.node_id in _path(view.node_id, parents)]


def _path(node_id: int | None, parents: Mapping[int, int | None]) -> Iterator[int]:
    while node_id is not None:
        yield node_id
        node_id = parents.get(node_id)


def _pages(frame: Frame, box: TreeBox, node: NodeView | None) -> Runs:
    stored = node.pages(frame.pool.page_size) if node else ()
    return runs((*stored, *_running_pages(frame, box)))


def _running_pages(frame: Frame, box: TreeBox) -> tuple[int, ...]:
    if not box.running:
        return ()
    return next((view.tail_pages for view in frame.sequences if _is_its(view, box)), ())


def _is_its(view: SequenceView, box: TreeBox) -> bool:
    """Tell whether the running tokens of the box are those of this sequence."""
    if box.kind == "running":
        return view.sequence_id == box.sequence_id
    return view.node_id == box.node_id and view.state == "running" and bool(view.tail_len)
