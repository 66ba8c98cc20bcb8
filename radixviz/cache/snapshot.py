"""Frozen views of the tree and of the pool, taken between operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from radixviz.cache.node import TreeNode
from radixviz.events import Namespace

PageState = Literal["free", "cached", "locked", "running"]


@dataclass(frozen=True, slots=True)
class NodeView:
    """One node of the tree: the tokens on its edge and the slots that hold their K and V."""

    node_id: int
    parent_id: int | None
    """None for a child of the root; the root itself is not in the view."""
    namespace: Namespace
    token_ids: tuple[int, ...]
    slots: tuple[int, ...]
    lock_ref: int
    hit_count: int
    priority: int
    last_access: int
    created: int
    """Ticks of the cache's logical clock."""

    @classmethod
    def of(cls, node: TreeNode) -> NodeView:
        """Return the view of a node that is not the root."""
        parent = node.parent
        return cls(
            node_id=node.node_id,
            parent_id=None if parent is None or parent.parent is None else parent.node_id,
            namespace=node.namespace,
            token_ids=tuple(node.key),
            slots=tuple(node.value),
            lock_ref=node.lock_ref,
            hit_count=node.hit_count,
            priority=node.priority,
            last_access=node.last_access,
            created=node.created,
        )

    def pages(self, page_size: int) -> tuple[int, ...]:
        """Return the pages of this node in the order of its tokens; a node always owns whole pages."""
        return tuple(slot // page_size for slot in self.slots[::page_size])


@dataclass(frozen=True, slots=True)
class TreeSnapshot:
    """Every node but the root, parents before children, siblings in the order of their coming."""

    page_size: int
    nodes: tuple[NodeView, ...]
    evictable_size: int
    protected_size: int

    def node(self, node_id: int) -> NodeView | None:
        """Return the node of this id, or None when the tree has none."""
        return next((node for node in self.nodes if node.node_id == node_id), None)

    def children(self, node_id: int | None) -> tuple[NodeView, ...]:
        """Return the children of a node; None asks for those of the root."""
        return tuple(node for node in self.nodes if node.parent_id == node_id)

    def leaves(self) -> tuple[NodeView, ...]:
        """Return the nodes that nothing hangs below."""
        parents = {node.parent_id for node in self.nodes}
        return tuple(node for node in self.nodes if node.node_id not in parents)


@dataclass(frozen=True, slots=True)
class PageView:
    """One page: its state, and the node or the sequence that holds it."""

    page: int
    state: PageState
    holder: int | str | None
    """A node id (cached, locked), a sequence id (running) or None (free)."""


@dataclass(frozen=True, slots=True)
class PoolSnapshot:
    """Every page of the pool in the order of their numbers, from 1; page 0 is padding and not counted."""

    page_size: int
    pages: tuple[PageView, ...]

    def count(self, state: PageState) -> int:
        """Return how many pages are in this state."""
        return sum(1 for page in self.pages if page.state == state)

    @property
    def total(self) -> int:
        """Pages in the pool, the padding page left out."""
        return len(self.pages)
