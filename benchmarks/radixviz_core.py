"""Our RadixCache as the life cycle drives it, with a bare list of free pages."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from itertools import chain

from radixviz.cache.key import RadixKey
from radixviz.cache.node import TreeNode
from radixviz.cache.radix_cache import RadixCache
from radixviz.events import NO_NAMESPACE, Event


class RadixvizCore:
    """A cache with `capacity` tokens; `events` lets it tell everything to a sink that counts."""

    def __init__(self, page_size: int, capacity: int, *, events: bool = False) -> None:
        self.page_size = page_size
        self.told = 0
        self.cache = RadixCache(page_size, emit=self._count if events else None)
        self._free_pages = array("q", range(1, capacity // page_size + 1))
        self._slots = memoryview(array("q", range(capacity + page_size)))  # a page's slots are a slice

    def _count(self, event: Event) -> None:
        self.told += 1

    def key(self, tokens: array[int]) -> RadixKey:
        """Return the tokens as a key, uncopied."""
        return RadixKey.of(tokens, NO_NAMESPACE)

    def match(self, key: RadixKey) -> tuple[int, array[int], TreeNode]:
        """Look up."""
        return self.cache.match_prefix(key)

    def lock(self, found: TreeNode) -> TreeNode:
        """Hold."""
        self.cache.inc_lock_ref(found)
        return found

    def evict(self, tokens: int) -> array[int]:
        """Evict."""
        return self.cache.evict(tokens)

    def insert(self, key: RadixKey, slots: array[int], hit: int) -> int:
        """Insert."""
        return self.cache.insert(key, slots)

    def unlock(self, lock: TreeNode) -> None:
        """Let go."""
        self.cache.dec_lock_ref(lock)

    def room(self) -> int:
        """Return the free tokens."""
        return len(self._free_pages) * self.page_size

    def allocate(self, tokens: int, found: array[int]) -> array[int]:
        """Return the found slots with new ones behind them."""
        size, first = self.page_size, len(self._free_pages) - tokens // self.page_size
        pages = self._free_pages[first:]
        del self._free_pages[first:]
        if size == 1:
            return found + pages
        return found + array("q", b"".join([self._slots[page * size : (page + 1) * size] for page in pages]))

    def cut(self, slots: array[int], end: int) -> array[int]:
        """Return the first slots."""
        return slots[:end]

    def give_back(self, freed: array[int]) -> None:
        """Free pages."""
        size = self.page_size
        self._free_pages.extend(freed if size == 1 else array("q", [slot // size for slot in freed[::size]]))

    def settle(self, slots: array[int], hit: int, there: int, end: int) -> None:
        """Free duplicates and tail."""
        self.give_back(slots[hit:there])
        self.give_back(slots[end:])

    def bytes_per_token(self) -> float:
        """Return the size of the whole tree, containers and all, over the tokens in it."""
        parts = chain.from_iterable(_parts(node) for node in self.cache.nodes())
        return sum(map(sys.getsizeof, parts)) / max(1, self.cache.total_size)


def _parts(node: TreeNode) -> Iterator[object]:
    yield from (node, node.key, node.value, node.children, node.child_key, node.queued)
