"""TreeNode: one edge of the radix tree and what hangs below it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from radixviz.events import Namespace


class TreeNode:
    """The tokens on the edge to this node (`key`), the slots of their K and V (`value`), and its bookkeeping.

    Names and meaning are SGLang's (mem_cache/radix_cache.py). `last_access` and `created` are ticks of the cache's
    logical clock, `node_id` counts per cache. Only RadixCache changes a node.
    """

    __slots__ = (
        "child_key",
        "children",
        "created",
        "hit_count",
        "key",
        "last_access",
        "lock_ref",
        "namespace",
        "node_id",
        "parent",
        "priority",
        "queued",
        "root",
        "value",
    )

    def __init__(
        self, node_id: int, key: array[int], value: array[int], parent: TreeNode | None, namespace: Namespace, now: int
    ) -> None:
        self.node_id = node_id
        self.key = key
        self.value = value
        self.parent = parent
        self.root: TreeNode = parent.root if parent else self
        self.namespace = namespace
        self.children: dict[object, TreeNode] = {}
        self.child_key: object = None
        """Under which key the parent's `children` hold this node."""
        self.lock_ref = 0
        self.hit_count = 0
        self.priority = 0
        self.last_access = now
        self.created = now
        self.queued: tuple[int, ...] | None = None
        """The key under which the queue of eviction candidates holds this node."""

    def path(self) -> Iterator[TreeNode]:
        """Yield this node and its ancestors, the root left out, from the bottom up."""
        node = self
        while node.parent is not None:
            yield node
            node = node.parent

    def path_ids(self) -> tuple[int, ...]:
        """Return the ids of the path from the root's child down to this node."""
        return tuple(node.node_id for node in self.path())[::-1]

    def __repr__(self) -> str:
        return f"TreeNode(id={self.node_id}, tokens={len(self.key)}, lock_ref={self.lock_ref})"
