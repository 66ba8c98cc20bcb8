"""Trees of a shape that breaks what recurses or looks at everything."""

from __future__ import annotations

from array import array

from radixviz.cache.key import RadixKey
from radixviz.cache.radix_cache import RadixCache

CHAIN = 5000


def chain(nodes: int = CHAIN) -> RadixCache:
    """Return a cache with one sequence whose nodes have one token each."""
    cache, ids = RadixCache(), array("q", range(nodes))
    cache.insert(RadixKey(ids))
    for length in range(nodes - 1, 0, -1):  # longest first: each cuts one token off the edge at the top
        cache.match_prefix(RadixKey(ids[:length]))
    return cache


def wide(leaves: int) -> RadixCache:
    """Return a cache with so many one-token leaves below the root."""
    cache = RadixCache()
    for token in range(leaves):
        cache.insert(RadixKey.of(array("q", [token]), (None, None, None, None)))
    return cache
