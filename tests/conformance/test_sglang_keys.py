"""What SGLang's own tests say of keys (A1 TestRadixKey, A2), nodes (A1 TestTreeNode) and eviction keys (A3).

All rows, those left out, and the reasons are in rows.py.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

import pytest

from radixviz.cache.eviction import (
    EvictionPolicy,
    FirstInFirstOut,
    FirstInLastOut,
    LeastFrequentlyUsed,
    LeastRecentlyUsed,
    LowestPriority,
    MostRecentlyUsed,
    SegmentedLeastRecentlyUsed,
)
from radixviz.cache.key import RadixKey
from radixviz.cache.node import TreeNode
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import NamespaceMismatch
from radixviz.events import Namespace
from tests.conformance.rows import shows

NO_NAMESPACE: Namespace = (None, None, None, None)
KEY_ROWS: list[tuple[str, Callable[[], object], object]] = [
    ("A1 key init_basic, tokens", lambda: list(RadixKey([1, 2, 3, 4])), [1, 2, 3, 4]),
    ("A1 key init_basic, no extra key", lambda: RadixKey([1, 2, 3, 4]).extra_key, None),
    ("A1 key init_with_extra_key", lambda: RadixKey([1, 2, 3], "test_key").extra_key, "test_key"),
    ("A1 key len", lambda: [len(RadixKey(ids)) for ids in ([1, 2, 3], [], [42])], [3, 0, 1]),
    ("A1 key iter", lambda: [list(RadixKey(ids)) for ids in ([1, 2, 3], [], [42])], [[1, 2, 3], [], [42]]),
    (
        "A1 key getitem_int",
        lambda: [RadixKey([10, 20, 30])[i] for i in (0, -1, 2)],
        [RadixKey([n]) for n in (10, 30, 30)],
    ),
    ("A1 key getitem_slice", lambda: RadixKey([1, 2, 3, 4, 5], "extra")[1:4], RadixKey([2, 3, 4], "extra")),
    ("A1 key getitem_slice, empty", lambda: RadixKey([1, 2, 3, 4, 5], "extra")[2:2], RadixKey([], "extra")),
    ("A1 key getitem_slice, all", lambda: RadixKey([1, 2, 3], "extra")[:], RadixKey([1, 2, 3], "extra")),
    ("A1 key repr", lambda: repr(RadixKey([1, 2, 3], "test")), "RadixKey([1, 2, 3], extra_key='test')"),
    (
        "A1 key repr, long",
        lambda: repr(RadixKey(range(15))),
        "RadixKey([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...], extra_key=None)",
    ),
    ("A2 part", lambda: RadixKey([1, 2, 3, 4, 5]).match(RadixKey([1, 2, 3, 9, 9])), 3),
    ("A2 nothing", lambda: RadixKey([10, 11, 12]).match(RadixKey([20, 21, 22])), 0),
    ("A2 long", lambda: RadixKey([*range(200), 99, 100]).match(RadixKey([*range(200), 88, 77])), 200),
    ("A2 page_4", lambda: RadixKey(range(1, 8)).match(RadixKey([1, 2, 3, 4, 5, 6, 9]), 4), 4),
    ("A2 limit, as a slice", lambda: RadixKey([1, 2, 3, 4, 5])[:3].match(RadixKey([1, 2, 3, 4, 5])), 3),
    ("A2 page_aligned", lambda: list(RadixKey(range(10)).page_aligned(4)), [0, 1, 2, 3, 4, 5, 6, 7]),
]


@shows(*(name for name, _, _ in KEY_ROWS))
@pytest.mark.parametrize(("found", "expected"), [pytest.param(*row[1:], id=row[0]) for row in KEY_ROWS])
def test_key_row(found: Callable[[], object], expected: object) -> None:
    """The key gives the answer that SGLang's does."""
    assert found() == expected


@shows("A1 key getitem_invalid_index")
def test_a1_getitem_invalid_index() -> None:
    """A1 getitem_invalid_index: beyond the end is an IndexError."""
    with pytest.raises(IndexError):
        RadixKey([1, 2, 3])[10]


@shows("A2 extra_key", "A2 cache_salt")
@pytest.mark.parametrize(
    ("left", "right", "part"),
    [
        (RadixKey([1, 2], "lora_a"), RadixKey([1, 2], "lora_b"), "extra_key"),
        (RadixKey([1, 2], cache_salt="s1"), RadixKey([1, 2], cache_salt="s2"), "cache_salt"),
    ],
)
def test_a2_other_namespace(left: RadixKey, right: RadixKey, part: str) -> None:
    """A2: comparing keys of two namespaces is a ValueError that names the part that differs."""
    with pytest.raises(ValueError, match=part) as raised:
        left.match(right)
    assert raised.type is NamespaceMismatch


@shows("A1 node init_basic")
def test_a1_tree_node_init_basic() -> None:
    """A1 TestTreeNode init_basic: a new node has nothing below it or above it, no lock and no hit."""
    node = TreeNode(0, array("q"), array("q"), None, NO_NAMESPACE, 0)
    assert (node.node_id, node.children, node.parent, node.lock_ref, node.hit_count) == (0, {}, None, 0, 0)
    assert (list(node.key), list(node.value), node.priority) == ([], [], 0)


@shows("A1 node counter_increment")
def test_a1_tree_node_ids() -> None:
    """A1 counter_increment, per cache here: two caches count from the same id."""
    caches = RadixCache(), RadixCache()
    for cache in caches:
        cache.insert(RadixKey([1]))
        cache.insert(RadixKey([2]))
    assert [[node.node_id for node in cache.nodes()] for cache in caches] == [[1, 2], [1, 2]]


def node(last_access: int = 0, *, hits: int = 0, created: int = 0, priority: int = 0) -> TreeNode:
    """Return a node with these fields."""
    made = TreeNode(0, array("q"), array("q"), None, NO_NAMESPACE, created)
    made.last_access, made.hit_count, made.priority = last_access, hits, priority
    return made


SLRU_5 = SegmentedLeastRecentlyUsed(protected_threshold=5)


@shows("A3 lru", "A3 lfu", "A3 fifo", "A3 mru", "A3 filo", "A3 priority", "A3 slru")
@pytest.mark.parametrize(
    ("policy", "leaf", "key"),
    [
        (LeastRecentlyUsed(), node(42), (42,)),
        (LeastFrequentlyUsed(), node(3, hits=5), (5, 3)),
        (FirstInFirstOut(), node(9, created=7), (7,)),
        (MostRecentlyUsed(), node(5), (-5, 0)),  # the second number parts what SGLang leaves to chance
        (FirstInLastOut(), node(9, created=3), (-3,)),
        (LowestPriority(), node(4, priority=2), (2, 4)),
        *((SegmentedLeastRecentlyUsed(), node(8, hits=hits), (int(hits > 1), 8)) for hits in (0, 1, 2, 100)),
        *((SLRU_5, node(8, hits=hits), (int(hits > 4), 8)) for hits in (4, 5)),
    ],
)
def test_a3_key(policy: EvictionPolicy, leaf: TreeNode, key: tuple[int, ...]) -> None:
    """A3: the key of a node is what SGLang's policy makes of the same fields."""
    assert policy.key(leaf) == key


@pytest.mark.parametrize(
    ("policy", "first", "second"),
    [
        (LeastRecentlyUsed(), node(1), node(2)),
        (LeastFrequentlyUsed(), node(10, hits=1), node(1, hits=100)),
        (LeastFrequentlyUsed(), node(1, hits=3), node(2, hits=3)),
        (FirstInFirstOut(), node(created=1), node(created=2)),
        (MostRecentlyUsed(), node(2), node(1)),
        (FirstInLastOut(), node(created=2), node(created=1)),
        (LowestPriority(), node(10, priority=1), node(1, priority=5)),
        (SegmentedLeastRecentlyUsed(), node(10, hits=1), node(1, hits=5)),
    ],
)
def test_a3_first(policy: EvictionPolicy, first: TreeNode, second: TreeNode) -> None:
    """A3: of two leaves SGLang evicts the same first."""
    assert policy.key(first) < policy.key(second)


@shows("A3 ordering")
def test_a3_ordering() -> None:
    """A3: three leaves under lru, four under slru, in the order of their keys."""
    assert sorted(map(LeastRecentlyUsed().key, map(node, (5, 1, 3)))) == [(1,), (3,), (5,)]
    leaves = [node(time, hits=hits) for hits, time in ((5, 1), (0, 10), (0, 2), (3, 8))]
    assert sorted(map(SegmentedLeastRecentlyUsed().key, leaves)) == [(0, 2), (0, 10), (1, 1), (1, 8)]
