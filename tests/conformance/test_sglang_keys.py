"""What SGLang's own tests say of keys (A1 TestRadixKey, A2), nodes (A1 TestTreeNode) and eviction keys (A3).

What is left out, and why, stands in test_sglang_cache.py.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable

import pytest

from radixviz.cache.eviction import LeastRecentlyUsed
from radixviz.cache.key import RadixKey
from radixviz.cache.node import TreeNode
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import NamespaceMismatch
from radixviz.events import Namespace

NO_NAMESPACE: Namespace = (None, None, None, None)
KEY_ROWS: list[tuple[str, Callable[[], object], object]] = [
    ("init_basic: tokens", lambda: list(RadixKey([1, 2, 3, 4])), [1, 2, 3, 4]),
    ("init_basic: no extra key", lambda: RadixKey([1, 2, 3, 4]).extra_key, None),
    ("init_with_extra_key", lambda: RadixKey([1, 2, 3], "test_key").extra_key, "test_key"),
    ("len", lambda: [len(RadixKey(ids)) for ids in ([1, 2, 3], [], [42])], [3, 0, 1]),
    ("iter", lambda: [list(RadixKey(ids)) for ids in ([1, 2, 3], [], [42])], [[1, 2, 3], [], [42]]),
    ("getitem_int", lambda: [RadixKey([10, 20, 30])[i] for i in (0, -1, 2)], [RadixKey([n]) for n in (10, 30, 30)]),
    ("getitem_slice", lambda: RadixKey([1, 2, 3, 4, 5], "extra")[1:4], RadixKey([2, 3, 4], "extra")),
    ("getitem_slice: empty", lambda: RadixKey([1, 2, 3, 4, 5], "extra")[2:2], RadixKey([], "extra")),
    ("getitem_slice: all", lambda: RadixKey([1, 2, 3], "extra")[:], RadixKey([1, 2, 3], "extra")),
    ("repr", lambda: repr(RadixKey([1, 2, 3], "test")), "RadixKey([1, 2, 3], extra_key='test')"),
    (
        "repr_long",
        lambda: repr(RadixKey(range(15))),
        "RadixKey([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...], extra_key=None)",
    ),
    ("A2 part", lambda: RadixKey([1, 2, 3, 4, 5]).match(RadixKey([1, 2, 3, 9, 9])), 3),
    ("A2 nothing", lambda: RadixKey([10, 11, 12]).match(RadixKey([20, 21, 22])), 0),
    ("A2 long", lambda: RadixKey([*range(200), 99, 100]).match(RadixKey([*range(200), 88, 77])), 200),
    ("A2 page 4", lambda: RadixKey(range(1, 8)).match(RadixKey([1, 2, 3, 4, 5, 6, 9]), 4), 4),
    ("A2 limit, as a slice", lambda: RadixKey([1, 2, 3, 4, 5])[:3].match(RadixKey([1, 2, 3, 4, 5])), 3),
    ("A2 page_aligned", lambda: list(RadixKey(range(10)).page_aligned(4)), [0, 1, 2, 3, 4, 5, 6, 7]),
]


@pytest.mark.parametrize(("found", "expected"), [pytest.param(*row[1:], id=row[0]) for row in KEY_ROWS])
def test_key_row(found: Callable[[], object], expected: object) -> None:
    """The key gives the answer that SGLang's does."""
    assert found() == expected


def test_a1_getitem_invalid_index() -> None:
    """A1 getitem_invalid_index: beyond the end is an IndexError."""
    with pytest.raises(IndexError):
        RadixKey([1, 2, 3])[10]


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


def test_a1_tree_node_init_basic() -> None:
    """A1 TestTreeNode init_basic: a new node has nothing below it or above it, no lock and no hit."""
    node = TreeNode(0, array("q"), array("q"), None, NO_NAMESPACE, 0)
    assert (node.node_id, node.children, node.parent, node.lock_ref, node.hit_count) == (0, {}, None, 0, 0)
    assert (list(node.key), list(node.value), node.priority) == ([], [], 0)


def test_a1_tree_node_ids() -> None:
    """A1 counter_increment, per cache here: two caches count from the same id."""
    caches = RadixCache(), RadixCache()
    for cache in caches:
        cache.insert(RadixKey([1]))
        cache.insert(RadixKey([2]))
    assert [[node.node_id for node in cache.nodes()] for cache in caches] == [[1, 2], [1, 2]]


def test_a3_lru_key() -> None:
    """A3 lru: the key is the time of the last use, so times 5, 1, 3 go in the order 1, 3, 5."""
    nodes = [TreeNode(0, array("q"), array("q"), None, NO_NAMESPACE, now) for now in (5, 1, 3)]
    assert sorted(map(LeastRecentlyUsed().key, nodes)) == [(1,), (3,), (5,)]
    nodes[0].last_access = 42
    assert LeastRecentlyUsed().key(nodes[0]) == (42,)
