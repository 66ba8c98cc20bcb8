"""RadixTree: nodes whose edges hold whole pages, and the sizes and the queue that follow from them."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator

from radixviz.cache.eviction import EvictionCandidate, eviction_policy
from radixviz.cache.eviction_queue import EvictionQueue
from radixviz.cache.integrity import check_tree
from radixviz.cache.key import RadixKey, common_prefix_len
from radixviz.cache.node import TreeNode
from radixviz.cache.snapshot import NodeView, TreeSnapshot
from radixviz.errors import BadPageSize, ForeignNode
from radixviz.events import (
    NO_NAMESPACE,
    Emit,
    Namespace,
    NodeAdded,
    NodeEvicted,
    NodeGrown,
    NodeSplit,
    read_late,
)


class RadixTree:
    """The nodes, their sizes, and the queue of those that can be evicted.

    Each edge holds whole pages. Children of one node differ in their first page; at the root they may differ in
    namespace instead. Time is a logical clock that ticks at each walk.
    """

    def __init__(self, page_size: int, policy: str, emit: Emit | None) -> None:
        if page_size < 1:
            raise BadPageSize(page_size)
        self._page_size = page_size
        self._policy = eviction_policy(policy)
        self._emit = emit
        self._clock = 0
        self._next_id = 0
        self._clear()

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

    def nodes(self) -> Iterator[TreeNode]:
        """Yield every node but the root, parents before children, siblings in the order of their coming."""
        stack = list(self._root.children.values())[::-1]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(list(node.children.values())[::-1])

    def eviction_order(self) -> tuple[EvictionCandidate, ...]:
        """Return every leaf that nobody holds with its key, worst first. Cost: all nodes."""
        leaves = (node for node in self.nodes() if not node.children and not node.lock_ref)
        return tuple(sorted(EvictionCandidate(self._policy.key(leaf), leaf.node_id) for leaf in leaves))

    def snapshot(self) -> TreeSnapshot:
        """Return a frozen view of the tree."""
        views = tuple(NodeView.of(node) for node in self.nodes())
        return TreeSnapshot(self._page_size, views, self._evictable_size, self._protected_size)

    def check_integrity(self) -> None:
        """Recount everything from the nodes; IntegrityError names the law that is broken."""
        check_tree(self._root, self._page_size, self._evictable_size, self._protected_size)

    def _clear(self) -> None:
        self._root = TreeNode(self._take_id(), array("q"), array("q"), None, NO_NAMESPACE, self._clock)
        self._root.lock_ref = 1
        self._root.priority = -sys.maxsize
        self._evictable_size = 0
        self._protected_size = 0
        self._queue = EvictionQueue(self._policy)

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

    def _child_key(self, parent: TreeNode, tokens: array[int], namespace: Namespace) -> object:
        """Return the key under which `parent` holds the child whose edge is `tokens`: its first page."""
        first = tokens[0] if self._page_size == 1 else tokens[: self._page_size].tobytes()
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
        node.child_key = self._child_key(upper, node.key, node.namespace)
        upper.children[node.child_key] = node
        if self._policy.key_may_fall:
            self._queue.offer(node)
        if self._emit:
            self._emit(NodeSplit(node.node_id, upper.node_id, length))
        return upper

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
        leaf.child_key = self._child_key(parent, tokens, namespace)
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
