"""In which order the nodes of a frame would be evicted, were no other request to come."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from radixviz.cache.snapshot import NodeView, TreeSnapshot

EvictionReason = Literal["oldest", "children", "locked"]


@dataclass(frozen=True, slots=True)
class Turn:
    """The place of a node in the order, from 1, and the reason.

    oldest: it is a leaf, and the longer it is unused the earlier it goes · children: those go before it · locked: it
    or a node below it is held, so it stays and has no place.
    """

    place: int | None
    reason: EvictionReason


def eviction_order(tree: TreeSnapshot) -> Mapping[int, Turn]:
    """Return each node's turn by its id: unlocked leaves first, least recently used first, then what became a leaf."""
    children = _child_counts(tree)
    nodes = {node.node_id: node for node in tree.nodes}
    turns: dict[int, Turn] = {}
    leaves = [_rank(node) for node in tree.nodes if not children[node.node_id] and not node.lock_ref]
    heapq.heapify(leaves)
    was_leaf = {node_id for _, node_id in leaves}
    while leaves:
        _, node_id = heapq.heappop(leaves)
        turns[node_id] = Turn(len(turns) + 1, "oldest" if node_id in was_leaf else "children")
        parent_id = nodes[node_id].parent_id
        if parent_id is None:
            continue
        children[parent_id] -= 1
        if not children[parent_id] and not nodes[parent_id].lock_ref:
            heapq.heappush(leaves, _rank(nodes[parent_id]))
    return {node_id: turns.get(node_id, Turn(None, "locked")) for node_id in nodes}


def _rank(node: NodeView) -> tuple[int, int]:
    return node.last_access, node.node_id


def _child_counts(tree: TreeSnapshot) -> dict[int, int]:
    counts = dict.fromkeys((node.node_id for node in tree.nodes), 0)
    for node in tree.nodes:
        if node.parent_id is not None:
            counts[node.parent_id] += 1
    return counts
