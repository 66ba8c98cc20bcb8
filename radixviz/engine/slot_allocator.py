"""SlotAllocator: gets pages for a sequence, evicting when one is short, and gives them back."""

from __future__ import annotations

from radixviz.cache.page_pool import PagePool
from radixviz.cache.prefix_cache import PrefixCache
from radixviz.engine.request import Sequence
from radixviz.errors import NothingEvicted
from radixviz.events import Emit, FreeReason, PagesAllocated, PagesFreed, PageShort, Phase


class SlotAllocator:
    """Stands between the pool, which has free pages, and the cache, which can give some up."""

    def __init__(self, cache: PrefixCache, pool: PagePool, emit: Emit) -> None:
        self._cache = cache
        self._pool = pool
        self._emit = emit

    def reserve(self, sequence: Sequence, length: int, phase: Phase) -> bool:
        """Give `sequence` slots for its first `length` tokens; False, with no page taken, when that cannot be done.

        Effects: evicts leaf by leaf, worst first, while pages are short; what was evicted stays evicted.
        """
        missing = length - len(sequence.slots)  # slots come in whole pages
        if missing <= 0:
            return True
        one_token = self._pool.page_size == 1  # then a page is a slot, and decoding asks for one at each token
        pages = missing if one_token else self._pool.pages_for(missing)
        if not self._make_room(sequence, pages, phase):
            return False
        taken = self._pool.allocate(pages)
        sequence.slots.extend(taken if one_token else self._pool.slots_of(taken))
        self._emit(PagesAllocated(sequence.sequence_id, tuple(taken)))
        return True

    def release(self, sequence: Sequence, start: int, end: int, reason: FreeReason) -> None:
        """Give the own pages back that hold the slots [start, end) of `sequence`; both are multiples of a page."""
        if start < end:
            pages = self._pool.pages_of(sequence.slots[start:end])
            self._pool.free(pages)
            self._emit(PagesFreed(sequence.sequence_id, tuple(pages), reason))

    def _make_room(self, sequence: Sequence, pages: int, phase: Phase) -> bool:
        """Evict one leaf at a time, so that each can be shown, until `pages` are free.

        Raises NothingEvicted when the cache says that there is something to evict and frees nothing.
        """
        while (short := pages - self._pool.free_pages) > 0:
            if self._cache.evictable_size == 0:
                return False
            self._emit(PageShort(sequence.sequence_id, short, phase))
            freed = self._pool.pages_of(self._cache.evict(1))
            if not freed:
                raise NothingEvicted(self._cache.evictable_size)
            self._pool.free(freed)
            self._emit(PagesFreed(sequence.sequence_id, tuple(freed), "evicted"))
        return True
