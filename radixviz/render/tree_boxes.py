"""What the tree of a frame consists of: one box for each node, ghost, running tail and missing piece."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from radixviz.cache.snapshot import NodeView
from radixviz.render.tree_fold import fold_boxes
from radixviz.timeline import Frame, Ghost, Look, Missing, NodeMark, SequenceView, StageKey, Timeline

BoxKind = Literal["node", "ghost", "running", "missing"]
_UNMARKED = NodeMark("cached")


@dataclass(frozen=True, slots=True)
class TreeBox:
    """One box of the drawing.

    `parent` is the key of the box above it, None below the root. `stored` tokens are in the tree, `running` ones in
    the pages of a request that is still at work; `token_ids` are both, one after the other. `sample` is set on the
    running tail of one of several samples, `evicted_in_stage` on a missing piece; `hidden` boxes are folded below.
    """

    key: str
    parent: str | None
    kind: BoxKind
    look: Look
    name: str
    letter: str
    token_ids: tuple[int, ...]
    stored: int
    running: int = 0
    lock_ref: int = 0
    repeats: int | None = None
    node_id: int | None = None
    sequence_id: str | None = None
    sample: int | None = None
    evicted_in_stage: StageKey | None = None
    hidden: int = 0


def tree_boxes(timeline: Timeline, frame: Frame) -> tuple[TreeBox, ...]:
    """Return the boxes of a frame: siblings in the order in which they stand, ghosts where their nodes stood.

    A running request's own pages are shown on the leaf that it added; without such a leaf they get a box of their own
    below the node that it holds, one for each sample. Of a large tree the quiet parts are folded.
    """
    ordered = [_node_box(frame, node) for node in frame.tree.nodes]
    for ghost in reversed(frame.ghosts):  # where one stood is told by those that went after it
        ordered.insert(_place(timeline, ghost, ordered), _ghost_box(frame, ghost))
    ordered += [_missing_box(missing, index) for index, missing in enumerate(frame.missing)]
    for sequence in frame.sequences:
        _add_running(frame, sequence, ordered)
    return fold_boxes(ordered)


def node_key(node_id: int | None) -> str | None:
    """Return the key of a node's box; None is the root."""
    return None if node_id is None else f"n{node_id}"


def _node_box(frame: Frame, node: NodeView) -> TreeBox:
    mark = frame.labels.get(node.node_id, _UNMARKED)
    return TreeBox(
        key=f"n{node.node_id}",
        parent=node_key(node.parent_id),
        kind="node",
        look=mark.look,
        name=mark.name or "",
        letter=mark.letter or "",
        token_ids=node.token_ids,
        stored=len(node.token_ids),
        lock_ref=node.lock_ref,
        repeats=mark.repeats,
        node_id=node.node_id,
    )


def _ghost_box(frame: Frame, ghost: Ghost) -> TreeBox:
    return replace(_node_box(frame, ghost.node), kind="ghost", look="evicted", lock_ref=0)


def _missing_box(missing: Missing, index: int) -> TreeBox:
    return TreeBox(
        key=f"m{index}",
        parent=node_key(missing.parent_id),
        kind="missing",
        look="evicted",
        name=missing.name or "",
        letter=missing.letter or "",
        token_ids=(),
        stored=missing.tokens,
        sequence_id=missing.sequence_id,
        evicted_in_stage=missing.evicted_in_stage,
    )


def _place(timeline: Timeline, ghost: Ghost, ordered: list[TreeBox]) -> int:
    """Return where among the boxes the ghost belongs: behind the sibling that stood before it when it was evicted."""
    before = timeline.frames[max(ghost.evicted_in - 1, 0)].tree
    siblings = [node.node_id for node in before.children(ghost.node.parent_id)]
    left = siblings[: siblings.index(ghost.node.node_id)] if ghost.node.node_id in siblings else siblings
    places = [index for index, box in enumerate(ordered) if box.node_id in left]
    return max(places) + 1 if places else 0


def _add_running(frame: Frame, sequence: SequenceView, ordered: list[TreeBox]) -> None:
    if sequence.state != "running" or not sequence.tail_len:
        return
    stored = _stored_tokens(frame, sequence.node_id)
    shown = sequence.token_ids[stored : len(sequence.token_ids) - (1 if sequence.stop_token else 0)]
    own = _own_leaf(frame, sequence, ordered)
    if own is not None:
        box = ordered[own]
        ordered[own] = replace(box, token_ids=box.token_ids + shown, running=sequence.tail_len)
    else:
        ordered.append(_running_box(sequence, shown))


def _running_box(sequence: SequenceView, shown: tuple[int, ...]) -> TreeBox:
    return TreeBox(
        key=f"r{sequence.sequence_id}",
        parent=node_key(sequence.node_id),
        kind="running",
        look="new",
        name=sequence.request_id,
        letter="",
        token_ids=shown,
        stored=0,
        running=sequence.tail_len,
        sequence_id=sequence.sequence_id,
        sample=sequence.sample if sequence.samples > 1 else None,
    )


def _own_leaf(frame: Frame, sequence: SequenceView, ordered: list[TreeBox]) -> int | None:
    """Return the place of the leaf that this sequence alone added and will grow, or None."""
    sharing = [other for other in frame.sequences if other.node_id == sequence.node_id and other.state == "running"]
    has_child = any(box.kind == "node" and box.parent == node_key(sequence.node_id) for box in ordered)
    if sequence.node_id is None or len(sharing) > 1 or has_child:
        return None
    places = (index for index, box in enumerate(ordered) if box.node_id == sequence.node_id)
    return next((index for index in places if ordered[index].look == "new" and ordered[index].kind == "node"), None)


def _stored_tokens(frame: Frame, node_id: int | None) -> int:
    """Return how many tokens the path from the root to this node holds."""
    nodes = {node.node_id: node for node in frame.tree.nodes}
    total = 0
    while node_id is not None and node_id in nodes:
        total += len(nodes[node_id].token_ids)
        node_id = nodes[node_id].parent_id
    return total
