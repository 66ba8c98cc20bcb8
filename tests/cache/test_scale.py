"""Large and deep trees: nothing recurses, and a token costs few bytes."""

from __future__ import annotations

import tracemalloc
from array import array

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.radix_cache import RadixCache
from tests.deep_tree import CHAIN, chain, wide


def test_a_deep_chain() -> None:
    """Five thousand one-token nodes below each other are matched, held, listed, checked and evicted."""
    cache, tokens = chain(), list(range(CHAIN))
    match = cache.match_prefix(RadixKey(tokens))
    assert (match.prefix_len, match.slots.tolist(), cache.total_size) == (CHAIN, tokens, CHAIN)
    tree = cache.snapshot()
    assert [node.token_ids for node in tree.nodes] == [(token,) for token in tokens]
    assert [slot for node in tree.nodes for slot in node.slots] == tokens
    assert [node.token_ids for node in tree.leaves()] == [(CHAIN - 1,)]
    assert match.node.path_ids() == tuple(node.node_id for node in tree.nodes)
    assert (cache.inc_lock_ref(match.node), cache.dec_lock_ref(match.node)) == (-CHAIN, CHAIN)
    assert [candidate.node_id for candidate in cache.eviction_order()] == [match.node.node_id]
    cache.check_integrity()
    assert cache.evict(CHAIN).tolist() == tokens[::-1]


def test_splits_in_a_deep_chain() -> None:
    """A branch at each depth of a chain is found again, and nothing but leaves is evicted."""
    cache, tokens = chain(1500), list(range(1500))
    for depth in range(0, 1500, 50):
        cache.insert(RadixKey([*tokens[:depth], 9999]))
    assert cache.match_prefix(RadixKey([*tokens[:1450], 9999])).prefix_len == 1451
    cache.check_integrity()
    assert len(cache.evict(1)) == 1
    assert len(cache.evict(1 << 30)) == 1500 + 30 - 1


def test_fifty_thousand_leaves() -> None:
    """A tree of fifty thousand leaves is listed, checked and emptied, oldest first."""
    cache = wide(50_000)
    for token in range(0, 50_000, 10):
        cache.match_prefix(RadixKey([token]))
    assert len(cache.snapshot().leaves()) == 50_000
    cache.check_integrity()
    old = [token for token in range(50_000) if token % 10]
    assert cache.evict(50_000).tolist() == [*old, *range(0, 50_000, 10)]


@pytest.mark.parametrize("page_size", [1, 16])
def test_a_million_tokens_take_few_bytes(page_size: int) -> None:
    """A tree of a million tokens in five thousand leaves takes less than 40 bytes a token, everything counted."""
    leaves = [array("q", range(n * 192, (n + 1) * 192)) for n in range(5209)]
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        cache = RadixCache(page_size)
        for tokens in leaves:
            cache.insert(RadixKey(tokens), tokens)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert cache.total_size == 1_000_128
    assert 16 < (after - before) / cache.total_size < 40
