"""RadixCache: a radix tree over token ids that indexes the KV cache.

Rules and names are SGLang 0.5.23's (mem_cache/radix_cache.py); where we differ is said at the place. It knows slots as
numbers only: no tensors, no pages' contents, no requests.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator, Sequence

from radixviz.cache.eviction import EvictionCandidate, eviction_policy
from radixviz.cache.eviction_queue import EvictionQueue
from radixviz.cache.integrity import check_tree
from radixviz.cache.key import RadixKey, as_slot_array, common_prefix_len
from radixviz.cache.node import TreeNode
from radixviz.cache.prefix_cache import MatchResult
from radixviz.cache.snapshot import NodeView, TreeSnapshot
from radixviz.errors import BadPageSize, BadTokenCount, ForeignNode, NotLocked, SlotCountMismatch
from radixviz.events import (
    NO_NAMESPACE,
    CacheReset,
    Emit,
    Namespace,
    NodeAdded,
    NodeEvicted,
    NodeGrown,
    NodeSplit,
    read_late,
)


class RadixCache:
    """The tree, with its sizes and its queue of eviction candidates.

    Each edge holds whole pages. Children of one node differ in their first page; at the root they may differ in
    namespace instead. Time is a logical clock that ticks at each match and insert.

    >>> cache = RadixCache()
    >>> cache.insert(RadixKey([1, 2, 3]), [10, 20, 30])
    0
    >>> cache.match_prefix(RadixKey([1, 2, 9])).slots.tolist()
    [10, 20]
    """

    def __init__(
        self, page_size: int = 1, policy: str = "lru", *, disabled: bool = False, emit: Emit | None = None
    ) -> None:
        if page_size < 1:
            raise BadPageSize(page_size)
        self._page_size = page_size
        self._policy = eviction_policy(policy)
        self._disabled = disabled
        self._emit = emit
        self._clock = 0
        self._next_id = 0
        self._clear()

    def _clear(self) -> None:
        self._root = TreeNode(self._take_id(), array("q"), array("q"), None, NO_NAMESPACE, self._clock)
        self._root.lock_ref = 1
        self._root.priority = -sys.maxsize
        self._evictable_size = 0
        self._protected_size = 0
        self._queue = EvictionQueue(self._policy)

    @property
    def page_size(self) -> int:
        """Tokens in a page."""
        return self._page_size

    @property
    def root(self) -> TreeNode:
        """The node that every path begins at; it holds no token and is never evicted."""
        return self._root

    @property
    def evictable_size(self) -> int:
        """Tokens in nodes that nobody holds."""
        return self._evictable_size

    @property
    def protected_size(self) -> int:
        """Tokens in nodes that somebody holds."""
        return self._protected_size

    @property
    def total_size(self) -> int:
        """Tokens in the tree."""
        return self._evictable_size + self._protected_size

    def match_prefix(self, key: RadixKey) -> MatchResult:
        """Find the longest cached prefix of `key`, floored to whole pages.

        Effects: an edge that matches only in part is split there, so that the result ends at a node; every node on
        the path gets the current time, and so does the unmatched tail of a split (as in SGLang). Sizes, locks, hit
        counts and slots stay. Cost: the tokens matched and the nodes visited.
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
        tokens = key.token_ids
        if slots is not None and len(slots) != len(tokens):
            raise SlotCountMismatch(len(tokens), len(slots))
        if inserted_len < 0:
            raise BadTokenCount("inserted_len", inserted_len)
        values = tokens if slots is None else as_slot_array(slots)
        if self._disabled:
            return 0
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

    def eviction_order(self) -> tuple[EvictionCandidate, ...]:
        """Return every leaf that nobody holds with its key, worst first. Cost: all nodes."""
        leaves = (node for node in self.nodes() if not node.children and not node.lock_ref)
        return tuple(sorted(EvictionCandidate(self._policy.key(leaf), leaf.node_id) for leaf in leaves))

    def reset(self) -> None:
        """Forget every node; nodes that somebody still has are foreign from now on. Slots are not freed."""
        self._clear()
        if self._emit:
            self._emit(CacheReset())

    def nodes(self) -> Iterator[TreeNode]:
        """Yield every node but the root, parents before children, siblings in the order of their coming."""
        stack = list(self._root.children.values())[::-1]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(list(node.children.values())[::-1])

    def snapshot(self) -> TreeSnapshot:
        """Return a frozen view of the tree."""
        views = tuple(NodeView.of(node) for node in self.nodes())
        return TreeSnapshot(self._page_size, views, self._evictable_size, self._protected_size)

    def check_integrity(self) -> None:
        """Recount everything from the nodes; IntegrityError names the law that is broken."""
        check_tree(self._root, self._page_size, self._evictable_size, self._protected_size)

    def _walk(self, key: RadixKey) -> tuple[list[TreeNode], int]:
        """Follow `key` as far as it is cached; return the path without the root, and its length in tokens.

        A whole edge is compared with the key at its place in C: nothing is sliced again on the way down.
        """
        self._clock = now = self._clock + 1
        tokens, page_size, namespace = key.token_ids, self._page_size, key.namespace
        end = len(tokens) - len(tokens) % page_size
        token_bytes = tokens.tobytes()
        path: list[TreeNode] = []
        node, position = self._root, 0
        node.last_access = now
        while position < end:
            # As _child_key, without the call.
            page = tokens[position] if page_size == 1 else token_bytes[8 * position : 8 * (position + page_size)]
            child = node.children.get(page if position or namespace == NO_NAMESPACE else (namespace, page))
            if child is None:
                break
            child.last_access = now
            if token_bytes.startswith(child.key, 8 * position):
                node = child
            else:
                most = min(len(child.key), end - position)
                length = common_prefix_len(child.key, tokens, position, most)
                node = self._split(child, length - length % page_size)
            path.append(node)
            position += len(node.key)
        if self._policy.key_may_fall:
            self._queue.offer(node)
        return path, position

    def _child_key(self, parent: TreeNode, tokens: array[int], position: int, namespace: Namespace) -> object:
        """Return the key under which `parent` holds the child that begins with tokens[position]: its first page."""
        page_size = self._page_size
        first = tokens[position] if page_size == 1 else tokens[position : position + page_size].tobytes()
        return (namespace, first) if parent is self._root and namespace != NO_NAMESPACE else first

    def _split(self, node: TreeNode, length: int) -> TreeNode:
        """Cut the edge of `node` after `length` tokens; return the new upper node. No slot moves.

        The upper part inherits locks, hit count and priority and counts as newly created; `node` keeps its identity.
        """
        parent = node.parent
        assert parent is not None
        upper = TreeNode(self._take_id(), node.key[:length], node.value[:length], parent, node.namespace, self._clock)
        upper.lock_ref, upper.hit_count, upper.priority = node.lock_ref, node.hit_count, node.priority
        upper.child_key = node.child_key
        parent.children[node.child_key] = upper  # in the place of `node`: the order of siblings stays
        node.key, node.value, node.parent = node.key[length:], node.value[length:], upper
        node.child_key = self._child_key(upper, node.key, 0, node.namespace)
        upper.children[node.child_key] = node
        if self._policy.key_may_fall:
            self._queue.offer(node)
        if self._emit:
            self._emit(NodeSplit(node.node_id, upper.node_id, length))
        return upper

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

    def _add_leaf(
        self,
        parent: TreeNode,
        tokens: array[int],
        value: array[int],
        namespace: Namespace,
        priority: int,
        hits: int,
    ) -> None:
        leaf = TreeNode(self._take_id(), tokens, value, parent, namespace, self._clock)
        leaf.hit_count, leaf.priority = hits, priority
        leaf.child_key = self._child_key(parent, tokens, 0, namespace)
        parent.children[leaf.child_key] = leaf
        self._evictable_size += len(tokens)
        self._queue.offer(leaf)
        if self._emit:
            parent_id = None if parent is self._root else parent.node_id
            self._emit(NodeAdded(leaf.node_id, parent_id, read_late(tokens), read_late(value), namespace))

    def _grow(self, leaf: TreeNode, tokens: array[int], value: array[int]) -> None:
        leaf.key = leaf.key + tokens
        leaf.value = leaf.value + value
        if leaf.lock_ref:
            self._protected_size += len(tokens)
        else:
            self._evictable_size += len(tokens)
        if self._emit:
            self._emit(NodeGrown(leaf.node_id, read_late(tokens), read_late(value)))

    def _worst_leaf(self) -> TreeNode | None:
        """Take the worst candidate out of the queue; None when there is none."""
        return self._queue.take()

    def _remove_leaf(self, leaf: TreeNode) -> None:
        parent = leaf.parent
        assert parent is not None
        del parent.children[leaf.child_key]
        leaf.parent = None
        self._evictable_size -= len(leaf.key)
        if parent is not self._root:
            self._queue.offer(parent)
        if self._emit:
            parent_id = None if parent is self._root else parent.node_id
            self._emit(NodeEvicted(leaf.node_id, parent_id, read_late(leaf.key), read_late(leaf.value)))

    def _check_own(self, node: TreeNode) -> None:
        if node.root is not self._root or (node.parent is None and node is not self._root):
            raise ForeignNode(node.node_id)

    def _take_id(self) -> int:
        node_id = self._next_id
        self._next_id += 1
        return node_id
