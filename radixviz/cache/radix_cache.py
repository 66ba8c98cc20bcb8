"""RadixCache: a radix tree over token ids that indexes the KV cache.

Rules and names are SGLang 0.5.23's (mem_cache/radix_cache.py); where we differ is said at the place. It knows slots as
numbers only: no tensors, no pages' contents, no requests.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from radixviz.cache.key import RadixKey
from radixviz.cache.node import TreeNode
from radixviz.cache.prefix_cache import MatchResult, slots_to_insert
from radixviz.cache.radix_tree import RadixTree
from radixviz.errors import BadTokenCount, NotLocked
from radixviz.events import CacheReset, Emit


class RadixCache(RadixTree):
    """A radix tree as a prefix cache: what is found, kept, held and evicted.

    >>> cache = RadixCache()
    >>> cache.insert(RadixKey([1, 2, 3]), [10, 20, 30])
    0
    >>> cache.match_prefix(RadixKey([1, 2, 9])).slots.tolist()
    [10, 20]
    """

    def __init__(
        self, page_size: int = 1, policy: str = "lru", *, disabled: bool = False, emit: Emit | None = None
    ) -> None:
        super().__init__(page_size, policy, emit)
        self._disabled = disabled

    def match_prefix(self, key: RadixKey) -> MatchResult:
        """Find the longest cached prefix of `key`, floored to whole pages.

        Effects: an edge that matches only in part is split there, so that the result ends at a node; every node on
        the path gets the current time, and so does the unmatched tail of a split (as in SGLang). Sizes, locks, hit
        counts and slots stay. Cost: one copy of the key in C, the tokens matched and the nodes visited.
        """
        if self._disabled:
            return MatchResult(0, array("q"), self._root)
        path, prefix_len = self._walk(key)
        if not path:
            return MatchResult(0, array("q"), self._root)
        slots = path[0].value[:]
        for node in path[1:]:
            slots += node.value
        return MatchResult(prefix_len, slots, path[-1])

    def insert(
        self,
        key: RadixKey,
        slots: Sequence[int] | None = None,
        *,
        priority: int = 0,
        inserted_len: int = 0,
        grow: TreeNode | None = None,
    ) -> int:
        """Put `key` into the tree, floored to whole pages; return how many of its tokens had been there already.

        The slots of those stay as they were (the first writer's), so the caller's own ones for them are duplicates.
        The rest becomes one new leaf, or lengthens the leaf `grow` if the path ends there, nothing hangs below it and
        no more than one holder has it (our choice: a request then adds one edge, as in the paper's figure; SGLang
        adds a child). `slots` None lets the token ids stand in for slots.

        Errors, with nothing changed: SlotCountMismatch, BadSlot, BadTokenCount for a negative `inserted_len`.

        Effects: as match_prefix; `priority` raises that of every node on the path; hit counts rise on the nodes that
        end beyond `inserted_len`, so that prompt and finish of one request count once.
        """
        values = slots_to_insert(key, slots, inserted_len)
        if self._disabled:
            return 0
        tokens = key.token_ids
        path, prefix_len = self._walk(key)
        self._count_hits(path, priority, inserted_len)
        end = len(tokens) - len(tokens) % self._page_size
        if prefix_len < end:
            parent = path[-1] if path else self._root
            new, value = tokens[prefix_len:end], values[prefix_len:end]
            if grow is not None and grow is parent is not self._root and not grow.children and grow.lock_ref <= 1:
                self._grow(grow, new, value)
            else:
                self._add_leaf(parent, new, value, key.namespace, priority, int(end > inserted_len))
        return prefix_len

    def inc_lock_ref(self, node: TreeNode) -> int:
        """Hold `node` and its ancestors, so that none can be evicted; return the change of `evictable_size`."""
        self._check_own(node)
        moved, held = 0, node
        while held.parent is not None:
            if held.lock_ref == 0:
                moved += len(held.key)
            held.lock_ref += 1
            held = held.parent
        self._evictable_size -= moved
        self._protected_size += moved
        return -moved

    def dec_lock_ref(self, node: TreeNode) -> int:
        """Let go of `node` and its ancestors; return the change of `evictable_size`. Below zero is an error."""
        self._check_own(node)
        if node.lock_ref == 0:
            raise NotLocked(node.node_id)
        moved, held = 0, node
        while held.parent is not None:
            held.lock_ref -= 1
            if held.lock_ref == 0:
                moved += len(held.key)
                self._queue.offer(held)
            held = held.parent
        self._evictable_size += moved
        self._protected_size -= moved
        return moved

    def evict(self, num_tokens: int) -> array[int]:
        """Remove whole unlocked leaves, worst first, until `num_tokens` are freed or none is left.

        A parent that became a leaf joins the candidates at once. Returns the freed slots in order of eviction, which
        may be more than asked (whole leaves) or fewer (everything else is held). Cost: O(log nodes) for each.
        """
        if num_tokens < 0:
            raise BadTokenCount("num_tokens", num_tokens)
        freed = array("q")
        while len(freed) < num_tokens and (leaf := self._worst_leaf()) is not None:
            self._remove_leaf(leaf)
            freed += leaf.value
        return freed

    def reset(self) -> None:
        """Forget every node; nodes that somebody still has are foreign from now on. Slots are not freed."""
        self._clear()
        if self._emit:
            self._emit(CacheReset())

    def _count_hits(self, path: list[TreeNode], priority: int, inserted_len: int) -> None:
        if self._root.priority < priority:
            self._root.priority = priority
        end = 0
        for node in path:
            end += len(node.key)
            if node.priority < priority:
                node.priority = priority
            if end > inserted_len:
                node.hit_count += 1

    def _worst_leaf(self) -> TreeNode | None:
        """Take the worst candidate out of the queue; None when there is none."""
        return self._queue.take()
