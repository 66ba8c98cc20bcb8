from __future__ import annotations

from array import array

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.request import Request, Sequence
from radixviz.engine.slot_allocator import SlotAllocator
from radixviz.errors import NothingEvicted
from radixviz.events import Event, PagesAllocated, PagesFreed, PageShort


class Allocation:
    """A pool of 4 pages of 2 tokens, two of them in the tree as two leaves, and a sequence without slots."""

    def __init__(self, cache: RadixCache | None = None) -> None:
        self.events: list[Event] = []
        self.cache, self.pool = cache or RadixCache(2), PagePool(4, 2)
        for first in (10, 20):
            self.cache.insert(RadixKey([first, first + 1]), self.pool.slots_of(self.pool.allocate(1)))
        self.allocator = SlotAllocator(self.cache, self.pool, self.events.append)
        request = Request("r", (1,), 1)
        self.sequence = Sequence(request, "r", 1, request.draw(1), [1])


def test_free_pages_first() -> None:
    """While there are free pages nothing is evicted, and slots come in whole pages."""
    given = Allocation()
    assert given.allocator.reserve(given.sequence, 3, "extend")
    assert (given.sequence.slots, given.events) == ([6, 7, 8, 9], [PagesAllocated("r", (3, 4))])


def test_nothing_more_is_needed() -> None:
    """A sequence whose slots are enough gets no page."""
    given = Allocation()
    given.allocator.reserve(given.sequence, 1, "extend")
    given.events.clear()
    assert given.allocator.reserve(given.sequence, 2, "decode")
    assert (given.sequence.slots, given.events) == ([6, 7], [])


def test_eviction_of_what_is_short() -> None:
    """One leaf after the other is evicted, only until there is enough."""
    given = Allocation()
    assert given.allocator.reserve(given.sequence, 6, "extend")
    assert given.sequence.slots == [6, 7, 8, 9, 2, 3]
    assert given.events == [
        PageShort("r", 1, "extend"),
        PagesFreed("r", (1,), "evicted"),
        PagesAllocated("r", (3, 4, 1)),
    ]


def test_not_enough() -> None:
    """What cannot be had leaves the sequence as it was; what was evicted on the way stays evicted."""
    given = Allocation()
    assert not given.allocator.reserve(given.sequence, 9, "decode")
    assert (given.sequence.slots, given.pool.free_pages, given.cache.total_size) == ([], 4, 0)


def test_held_leaves_stay() -> None:
    """A leaf that somebody holds is not evicted for anybody."""
    given = Allocation()
    given.cache.inc_lock_ref(given.cache.match_prefix(RadixKey([10, 11])).node)
    assert not given.allocator.reserve(given.sequence, 8, "extend")
    assert given.cache.total_size == 2


class Stingy(RadixCache):
    """A cache that counts tokens as evictable and keeps them all."""

    def evict(self, num_tokens: int) -> array[int]:
        """Free nothing."""
        return array("q")


def test_a_cache_that_frees_nothing() -> None:
    """It is named at once, and no page has moved: asking for ever would free nothing either."""
    given = Allocation(Stingy(2))
    with pytest.raises(NothingEvicted) as raised:
        given.allocator.reserve(given.sequence, 6, "extend")
    assert raised.value.facts() == {"evictable_size": 4}
    assert (given.sequence.slots, given.pool.free_pages, given.cache.total_size) == ([], 2, 4)


def test_release() -> None:
    """The pages of a run of slots come back, with the reason; an empty run tells nothing."""
    given = Allocation()
    given.allocator.reserve(given.sequence, 4, "extend")
    given.events.clear()
    given.allocator.release(given.sequence, 2, 4, "tail")
    given.allocator.release(given.sequence, 2, 2, "duplicate")
    assert (given.events, given.pool.free_pages) == ([PagesFreed("r", (4,), "tail")], 1)
