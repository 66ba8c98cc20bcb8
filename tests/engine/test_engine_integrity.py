"""Faults that are easily made, put in one at a time: the engine's check must see each."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.faults import table
from radixviz.cache.key import RadixKey
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import IntegrityError
from tests.engine.cache_faults import FAULTS, Fault, LockedLeafEvicted, UnlockStopsEarly
from tests.engine.serving import Serving

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "faults.md"


@pytest.mark.parametrize("page_size", [1, 2, 4])
def test_without_a_fault(page_size: int) -> None:
    """The same requests on the cache as it is break no law."""
    assert Fault("none", RadixCache, page_size).caught() is None


SEEN = (
    ("tree", "evictable size"),
    ("tree", "evictable size"),
    ("tree", "a child knows its parent"),
    ("tree", "an edge holds whole pages"),
    ("engine", "lock_ref of node 2 is the number of its holders"),
    ("engine", "lock_ref of node 2 is the number of its holders"),
)


@pytest.mark.parametrize(("fault", "seen"), list(zip(FAULTS, SEEN, strict=True)), ids=[fault.name for fault in FAULTS])
def test_fault_is_caught(fault: Fault, seen: tuple[str, str]) -> None:
    """A check stops at the first step after the fault and names the law that it breaks."""
    caught = fault.caught()
    assert caught is not None
    assert (caught.check, caught.law) == seen


def test_the_document_has_these_results() -> None:
    """The table of faults in the documents is what its script finds."""
    assert "\n".join(table()) in DOCUMENT.read_text("utf-8")


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


BROKEN_BOOKS = [
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


@pytest.mark.parametrize("fault", BROKEN_BOOKS, ids=lambda fault: fault.__name__)
def test_broken_books_are_caught(fault: object) -> None:
    """Whatever page or lock is miscounted between tree, pool and sequences, the check names the law."""
    serving = running()
    assert callable(fault)
    law = fault(serving)
    with pytest.raises(IntegrityError) as raised:
        serving.engine.check_integrity()
    assert raised.value.law == law
