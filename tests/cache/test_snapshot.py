from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.radix_cache import RadixCache
from radixviz.cache.snapshot import NodeView, PageView, PoolSnapshot, TreeSnapshot


def test_whole_snapshot() -> None:
    """A snapshot has every field of every node, parents before children, and both sizes."""
    cache = RadixCache(2)
    cache.insert(RadixKey([1, 2, 3, 4], "a"), [2, 3, 4, 5], priority=1)
    cache.insert(RadixKey([1, 2, 5, 6], "a"), [8, 9, 6, 7])
    cache.inc_lock_ref(cache.match_prefix(RadixKey([1, 2], "a")).node)
    here = (None, None, None, "a")
    assert cache.snapshot() == TreeSnapshot(
        page_size=2,
        nodes=(
            NodeView(2, None, here, (1, 2), (2, 3), 1, 2, 1, 3, 2),
            NodeView(1, 2, here, (3, 4), (4, 5), 0, 1, 1, 2, 1),
            NodeView(3, 2, here, (5, 6), (6, 7), 0, 1, 0, 2, 2),
        ),
        evictable_size=4,
        protected_size=2,
    )


def test_snapshot_stays() -> None:
    """A snapshot does not follow what happens to the tree later, and cannot be changed."""
    cache = RadixCache()
    cache.insert(RadixKey([1, 2, 3]))
    before = cache.snapshot()
    cache.match_prefix(RadixKey([1, 2]))
    cache.evict(1)
    assert [node.token_ids for node in before.nodes] == [(1, 2, 3)]
    with pytest.raises(FrozenInstanceError):
        before.evictable_size = 0  # type: ignore[misc]


def test_nodes_of_a_snapshot() -> None:
    """Nodes are found by id, by parent and by being leaves."""
    cache = RadixCache()
    for tokens in ([1, 2], [1, 3], [4]):
        cache.insert(RadixKey(tokens))
    tree = cache.snapshot()
    assert [node.node_id for node in tree.children(None)] == [2, 4]
    assert [node.node_id for node in tree.children(2)] == [1, 3]
    assert [node.node_id for node in tree.leaves()] == [1, 3, 4]
    assert (tree.node(4), tree.node(9)) == (tree.nodes[-1], None)


def test_pages_of_a_node() -> None:
    """A node's pages are those of its slots, in the order of its tokens."""
    node = NodeView(1, None, (None,) * 4, (1, 2, 3, 4), (12, 13, 4, 5), 0, 1, 0, 1, 1)
    assert node.pages(2) == (6, 2)


def test_pool_snapshot_counts() -> None:
    """A picture of the pool counts its pages by state; the padding page is not there."""
    pool = PoolSnapshot(1, (PageView(1, "free", None), PageView(2, "cached", 1), PageView(3, "free", None)))
    assert [pool.count("free"), pool.count("cached"), pool.count("running"), pool.total] == [2, 1, 0, 3]
