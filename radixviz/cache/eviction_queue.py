"""EvictionQueue: the leaves that nobody holds, lowest key first."""

from __future__ import annotations

import heapq

from radixviz.cache.eviction import EvictionPolicy
from radixviz.cache.node import TreeNode

Entry = tuple[tuple[int, ...], int, TreeNode]
SPARE_ENTRIES = 64


class EvictionQueue:
    """One heap of (key, node id, node) that is repaired lazily: a change of a node does not look for its entry.

    An entry may be out of date when it comes to the top. A key that only grows makes that harmless: the entry is put
    back further down, and one that is still right is the lowest of all. Where a key can fall, the owner offers the node
    anew, which makes a second, lower entry; `node.queued` is the lowest, and any other is dropped.

    Cost: O(log nodes) for each call, amortized.
    """

    def __init__(self, policy: EvictionPolicy) -> None:
        self._policy = policy
        self._heap: list[Entry] = []
        self._queued = 0  # nodes, where `_heap` may have several entries for one

    def __len__(self) -> int:
        """Return the number of entries, those out of date included."""
        return len(self._heap)

    def offer(self, node: TreeNode) -> None:
        """Put `node` in if it is a leaf that nobody holds; one that is in already stays once."""
        if node.children or node.lock_ref:
            return
        key = self._policy.key(node)
        if node.queued is None:
            self._queued += 1
        elif key >= node.queued:
            return
        self._push(key, node)

    def take(self) -> TreeNode | None:
        """Take the leaf with the lowest key out; None when nothing can be evicted."""
        while self._heap:
            entry_key, _, node = heapq.heappop(self._heap)
            if node.queued != entry_key:
                continue
            if not node.children and not node.lock_ref:
                key = self._policy.key(node)
                if key != entry_key:
                    self._push(key, node)
                    continue
                self._queued -= 1
                node.queued = None
                return node
            self._queued -= 1  # it is offered again when it is a free leaf
            node.queued = None
        return None

    def _push(self, key: tuple[int, ...], node: TreeNode) -> None:
        node.queued = key
        heapq.heappush(self._heap, (key, node.node_id, node))
        if len(self._heap) > 2 * self._queued + SPARE_ENTRIES:
            self._heap = [entry for entry in self._heap if entry[2].queued == entry[0]]
            heapq.heapify(self._heap)
