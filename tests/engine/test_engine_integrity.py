"""Faults that are easily made, put in one at a time: the engine's check must see each."""

from __future__ import annotations

from array import array

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.node import TreeNode
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import IntegrityError
from tests.engine.serving import Serving


class SplitForgetsLock(RadixCache):
    """The upper part of a split is not held, although the whole edge was."""

    def _split(self, node: TreeNode, length: int) -> TreeNode:
        upper = super()._split(node, length)
        upper.lock_ref = 0
        return upper


class EvictForgetsSize(RadixCache):
    """A leaf goes, and its tokens are still counted."""

    def _remove_leaf(self, leaf: TreeNode) -> None:
        before = self._evictable_size
        super()._remove_leaf(leaf)
        self._evictable_size = before


class StaleParent(RadixCache):
    """The lower part of a split still points past the upper one."""

    def _split(self, node: TreeNode, length: int) -> TreeNode:
        upper = super()._split(node, length)
        node.parent = upper.parent
        return upper


class AlignmentIgnored(RadixCache):
    """A page that is not full is stored: what the caller keeps for itself has two owners."""

    def _add_leaf(self, parent: TreeNode, tokens: array[int], value: array[int], *more: object) -> None:
        rest = array("q", [900])
        super()._add_leaf(parent, tokens + rest, value + rest, *more)  # type: ignore[arg-type]


class UnlockStopsEarly(RadixCache):
    """Only the node itself is let go, and what is above it stays held for ever."""

    def dec_lock_ref(self, node: TreeNode) -> int:
        if node is self.root:
            return 0
        node.lock_ref -= 1
        moved = len(node.key) if node.lock_ref == 0 else 0
        self._evictable_size += moved
        self._protected_size -= moved
        return moved


class LockedLeafEvicted(RadixCache):
    """With nothing else to evict a held leaf goes, properly uncounted."""

    @property
    def evictable_size(self) -> int:
        """Pretend that everything can go."""
        return self.total_size

    def _worst_leaf(self) -> TreeNode | None:
        if (leaf := super()._worst_leaf()) is not None:
            return leaf
        leaf = next((node for node in self.nodes() if not node.children), None)
        if leaf is not None:
            self._protected_size -= len(leaf.key)
            self._evictable_size += len(leaf.key)
        return leaf


def busy(make_cache: type[RadixCache], page_size: int = 1) -> Serving:
    """Serve requests that split held edges, let go of chains, evict, and come near the end of the pool."""
    serving = Serving(12 // page_size, page_size, make_cache=make_cache, turn_as_one_edge=False)
    serving.submit("a", [1, 2, 3, 4, 5], 6)
    serving.step(2)
    serving.submit("b", [1, 2, 3, 9, 9], 5)
    serving.run_until_idle()
    serving.run("c", [7, 7, 7, 7, 7], 6)
    return serving


@pytest.mark.parametrize("page_size", [1, 2, 4])
def test_without_a_fault(page_size: int) -> None:
    """The same requests on the cache as it is break no law."""
    assert busy(RadixCache, page_size).engine.has_work is False


@pytest.mark.parametrize(
    ("fault", "page_size", "law"),
    [
        (SplitForgetsLock, 1, "evictable size"),
        (EvictForgetsSize, 1, "evictable size"),
        (StaleParent, 1, "a child knows its parent"),
        (AlignmentIgnored, 4, "an edge holds whole pages"),
        (UnlockStopsEarly, 1, "lock_ref of node 2 is the number of its holders"),
        (LockedLeafEvicted, 1, "lock_ref of node 2 is the number of its holders"),
    ],
)
def test_fault_is_caught(fault: type[RadixCache], page_size: int, law: str) -> None:
    """The check stops at the first step after the fault and names the law that it breaks."""
    with pytest.raises(IntegrityError) as raised:
        busy(fault, page_size)
    assert raised.value.law == law


@pytest.mark.parametrize("fault", [UnlockStopsEarly, LockedLeafEvicted])
def test_the_tree_alone_does_not_show_it(fault: type[RadixCache]) -> None:
    """These two leave a tree that is whole in itself: only the engine knows who holds what."""
    cache = fault()
    cache.insert(RadixKey([1, 2]))
    cache.insert(RadixKey([1, 2, 3]))
    node = cache.match_prefix(RadixKey([1, 2, 3])).node
    cache.inc_lock_ref(node)
    if fault is UnlockStopsEarly:
        cache.dec_lock_ref(node)
        assert [held.lock_ref for held in cache.nodes()] == [1, 0]
    else:
        assert cache.evict(1).tolist() == [3]
    cache.check_integrity()


def running() -> Serving:
    """Return an engine with one running sequence on pages 1 to 4 of 8, three of them in the tree, one its own."""
    serving = Serving(8)
    serving.submit("r", [1, 2, 3], 5)
    serving.step(2)
    return serving


def leak(serving: Serving) -> str:
    """Take a page that nobody then has."""
    serving.pool.allocate(1)
    return "every page has one owner"


def free_in_use(serving: Serving) -> str:
    """Free a page that a sequence still has."""
    serving.pool.free([4])
    return "every page has one owner"


def free_in_tree(serving: Serving) -> str:
    """Free a page that the tree still has."""
    serving.pool.free([2])
    return "every page has one owner"


def two_readers(serving: Serving) -> str:
    """Let a sequence call a page of the tree its own."""
    serving["r"].slots[3] = 2
    return "every page has one owner"


def outside(serving: Serving) -> str:
    """Let a sequence have a page that the pool does not have, besides its own."""
    serving["r"].slots.append(99)
    return "every page has one owner"


def twice_in_free_list(serving: Serving) -> str:
    """Put a free page into the free list once more."""
    serving.pool._free.append(8)
    return "the free list holds each free page once"


def other_slots(serving: Serving) -> str:
    """Let a sequence read other slots than the tree has for its prompt."""
    serving["r"].slots[:2] = [2, 1]
    return "r reads the tree's slots"


def unheld(serving: Serving) -> str:
    """Let go of a node that a sequence still reads."""
    serving.cache.dec_lock_ref(next(serving.cache.nodes()))
    return "lock_ref of node 1 is the number of its holders"


def held_by_nobody(serving: Serving) -> str:
    """Hold a node for no sequence."""
    serving.cache.inc_lock_ref(next(serving.cache.nodes()))
    return "lock_ref of node 1 is the number of its holders"


def torn_page(serving: Serving) -> str:
    """Let an edge have its slots in another order than its pages."""
    torn = Serving(8, 4)
    torn.run("r", [1, 2, 3, 4], 1)
    node = next(torn.cache.nodes())
    node.value[0], node.value[1] = node.value[1], node.value[0]
    serving.engine = torn.engine
    return "node 1 holds whole pages"


FAULTS = [
    leak,
    free_in_use,
    free_in_tree,
    two_readers,
    outside,
    twice_in_free_list,
    other_slots,
    unheld,
    held_by_nobody,
    torn_page,
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_broken_books_are_caught(fault: object) -> None:
    """Whatever page or lock is miscounted between tree, pool and sequences, the check names the law."""
    serving = running()
    assert callable(fault)
    law = fault(serving)
    with pytest.raises(IntegrityError) as raised:
        serving.engine.check_integrity()
    assert raised.value.law == law
