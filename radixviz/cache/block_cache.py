"""BlockCache: vLLM's way to find a cached prefix, for comparison. Full blocks, found by a hash of all that is before.

A block is a page. Its hash is SHA-256 over the hash of the block before it and its tokens, so one look in a dictionary
tells whether everything up to there is cached (vLLM V1: v1/core/block_pool.py and kv_cache_utils.py; the bytes that are
hashed are ours). Where vLLM keeps a second copy of an equal block that was computed at the same time, here the first
writer's slots stay.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from hashlib import sha256

from radixviz.cache.key import RadixKey
from radixviz.cache.node import TreeNode
from radixviz.cache.page_hash import namespace_seed
from radixviz.cache.prefix_cache import MatchResult, slots_to_insert
from radixviz.cache.snapshot import NodeView, TreeSnapshot
from radixviz.errors import BadPageSize, BadTokenCount, ForeignNode, IntegrityError, NotLocked
from radixviz.events import NO_NAMESPACE, CacheReset, Emit, NodeAdded, NodeEvicted, read_late


class BlockCache:
    """Blocks by their hash, and those that nobody holds in the order in which they were let go.

    Unlike RadixCache: nothing is split and nothing grows, as each node is one block; eviction takes single blocks, the
    end of a sequence first, so never more than is asked, rounded up to a block. A look-up is no use: what counts is
    when a block was last let go. Priorities are kept and do not matter.

    >>> cache = BlockCache(page_size=2)
    >>> cache.insert(RadixKey([1, 2, 3, 4, 5]), [2, 3, 4, 5, 6])
    0
    >>> cache.match_prefix(RadixKey([1, 2, 9, 9])).slots.tolist()
    [2, 3]
    """

    def __init__(self, page_size: int = 16, *, emit: Emit | None = None) -> None:
        if page_size < 1:
            raise BadPageSize(page_size)
        self._page_size = page_size
        self._emit = emit
        self._clock = 0
        self._next_id = 0
        self._clear()

    def _clear(self) -> None:
        self._root = TreeNode(self._take_id(), array("q"), array("q"), None, NO_NAMESPACE, self._clock)
        self._root.lock_ref = 1
        self._blocks: dict[bytes, TreeNode] = {}
        self._free = OrderedDict[int, TreeNode]()

    @property
    def page_size(self) -> int:
        """Tokens in a block."""
        return self._page_size

    @property
    def root(self) -> TreeNode:
        """The node that every path begins at; it holds no token and is never evicted."""
        return self._root

    @property
    def evictable_size(self) -> int:
        """Tokens in blocks that nobody holds."""
        return len(self._free) * self._page_size

    @property
    def protected_size(self) -> int:
        """Tokens in blocks that somebody holds."""
        return (len(self._blocks) - len(self._free)) * self._page_size

    @property
    def total_size(self) -> int:
        """Tokens in the cache."""
        return len(self._blocks) * self._page_size

    def match_prefix(self, key: RadixKey) -> MatchResult:
        """Find the longest cached prefix of `key` in full blocks. Effects: none. Cost: a hash for each block of it.

        That at most (L - 1) // page_size blocks of a prompt of L tokens are reused is the engine's rule, for any cache.
        """
        path = self._find(list(self._hashes(key)))
        slots = array("q", b"".join([block.value for block in path]))
        return MatchResult(len(slots), slots, path[-1] if path else self._root)

    def insert(
        self,
        key: RadixKey,
        slots: Sequence[int] | None = None,
        *,
        priority: int = 0,
        inserted_len: int = 0,
        grow: TreeNode | None = None,
    ) -> int:
        """Put the full blocks of `key` in; return how many of its tokens had been there already.

        Effects: hit counts rise beyond `inserted_len`, and all blocks of the key count as let go now if nobody holds
        them. `grow` is passed over.
        """
        values = slots_to_insert(key, slots, inserted_len)
        tokens, size = key.token_ids, self._page_size
        self._clock += 1
        hashes = list(self._hashes(key))
        path = self._find(hashes)
        known = len(path)
        for number, block_hash in enumerate(hashes[known:], start=known):
            part = slice(number * size, (number + 1) * size)
            above = path[-1] if path else self._root
            path.append(
                self._add(
                    above,
                    block_hash,
                    TreeNode(self._take_id(), tokens[part], values[part], above, key.namespace, self._clock),
                )
            )
        for number, block in enumerate(path, start=1):
            block.priority = max(block.priority, priority)
            block.hit_count += number * size > inserted_len
        self._let_go(reversed(path))
        return known * size

    def inc_lock_ref(self, node: TreeNode) -> int:
        """Hold `node` and all blocks before it; return the change of `evictable_size`."""
        self._check_own(node)
        before = self.evictable_size
        for block in node.path():
            block.lock_ref += 1
            self._free.pop(block.node_id, None)
        return self.evictable_size - before

    def dec_lock_ref(self, node: TreeNode) -> int:
        """Let go of `node` and all blocks before it, the last one first; return the change of `evictable_size`."""
        self._check_own(node)
        if node.lock_ref == 0:
            raise NotLocked(node.node_id)
        before = self.evictable_size
        self._clock += 1
        if node is not self._root:
            for block in node.path():
                block.lock_ref -= 1
            self._let_go(node.path())
        return self.evictable_size - before

    def evict(self, num_tokens: int) -> array[int]:
        """Remove single blocks, those let go longest ago first, until `num_tokens` are freed or none is left."""
        if num_tokens < 0:
            raise BadTokenCount("num_tokens", num_tokens)
        freed = array("q")
        while len(freed) < num_tokens and self._free:
            _, block = self._free.popitem(last=False)
            freed += block.value
            self._remove(block)
        return freed

    def reset(self) -> None:
        """Forget every block; those that somebody still has are foreign from now on. Slots are not freed."""
        self._clear()
        if self._emit:
            self._emit(CacheReset())

    def nodes(self) -> Iterator[TreeNode]:
        """Yield every block, those before others first."""
        return iter(self._blocks.values())

    def snapshot(self) -> TreeSnapshot:
        """Return a frozen view: a tree whose nodes are single blocks."""
        views = tuple(NodeView.of(block) for block in self.nodes())
        return TreeSnapshot(self._page_size, views, self.evictable_size, self.protected_size)

    def check_integrity(self) -> None:
        """Recount everything; IntegrityError names the law that is broken."""
        turns = {node_id: turn for turn, node_id in enumerate(self._free)}
        for block_hash, block in self._blocks.items():
            self._check_block(block_hash, block)
            for next_block in block.children.values():
                turn = turns.get(block.node_id, len(turns))
                _expect("a block goes after the next", turns.get(next_block.node_id, -1) < turn, True)
        unheld = {block.node_id for block in self._blocks.values() if not block.lock_ref}
        _expect("the free blocks are those that nobody holds", set(self._free), unheld)
        _expect("the root is always held once", self._root.lock_ref, 1)

    def _check_block(self, block_hash: bytes, block: TreeNode) -> None:
        above, size = block.parent, self._page_size
        _expect("a block holds one page", (len(block.key), len(block.value)), (size, size))
        _expect("lock_ref is not negative", block.lock_ref >= 0, True)
        if above is None or above.children.get(block_hash) is not block:
            raise IntegrityError("a block is linked to the one before it", above, block.node_id)
        before = namespace_seed(block.namespace) if above is self._root else above.child_key
        assert isinstance(before, bytes)
        _expect("a block is found by its hash", block_hash, sha256(before + block.key.tobytes()).digest())
        _expect("a block knows its hash", block.child_key, block_hash)
        if above is not self._root:
            _expect("a block is held at least as often as the next", above.lock_ref >= block.lock_ref, True)

    def _hashes(self, key: RadixKey) -> Iterator[bytes]:
        """Yield the hash of each full block of `key`."""
        data, width = key.token_ids.tobytes(), 8 * self._page_size
        block_hash = namespace_seed(key.namespace)
        for start in range(0, len(data) - len(data) % width, width):
            block_hash = sha256(block_hash + data[start : start + width]).digest()
            yield block_hash

    def _find(self, hashes: Sequence[bytes]) -> list[TreeNode]:
        path: list[TreeNode] = []
        for block_hash in hashes:
            block = self._blocks.get(block_hash)
            if block is None:
                break
            path.append(block)
        return path

    def _add(self, above: TreeNode, block_hash: bytes, block: TreeNode) -> TreeNode:
        block.child_key = block_hash
        above.children[block_hash] = self._blocks[block_hash] = block
        if self._emit:
            parent_id = None if above is self._root else above.node_id
            tokens, slots = read_late(block.key), read_late(block.value)
            self._emit(NodeAdded(block.node_id, parent_id, tokens, slots, block.namespace))
        return block

    def _let_go(self, blocks: Iterator[TreeNode]) -> None:
        """Put those that nobody holds at the end of the line; the last one comes first, so that none is orphaned."""
        for block in blocks:
            block.last_access = self._clock
            if block.lock_ref == 0:
                self._free[block.node_id] = block
                self._free.move_to_end(block.node_id)

    def _remove(self, block: TreeNode) -> None:
        above = block.parent
        assert above is not None
        assert isinstance(block.child_key, bytes)
        del above.children[block.child_key], self._blocks[block.child_key]
        block.parent = None
        if self._emit:
            parent_id = None if above is self._root else above.node_id
            self._emit(NodeEvicted(block.node_id, parent_id, read_late(block.key), read_late(block.value)))

    def _check_own(self, node: TreeNode) -> None:
        if node.root is not self._root or (node.parent is None and node is not self._root):
            raise ForeignNode(node.node_id)

    def _take_id(self) -> int:
        node_id = self._next_id
        self._next_id += 1
        return node_id


def _expect(law: str, found: object, expected: object) -> None:
    if found != expected:
        raise IntegrityError(law, found, expected)
