from __future__ import annotations

import pytest

from radixviz.cache.eviction import eviction_policies, eviction_policy
from radixviz.cache.eviction_queue import SPARE_ENTRIES
from radixviz.cache.key import RadixKey
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import UnknownPolicy

NAMES = ("lru", "lfu", "fifo", "mru", "filo", "slru", "priority")


def used(policy: str) -> RadixCache:
    """Return three sequences of one node each, ids 1 to 3: the first used twice more, the third once, and last."""
    cache = RadixCache(policy=policy)
    for tokens, priority in (([1, 1], 5), ([2, 2], 0), ([3, 3], 3)):
        cache.insert(RadixKey(tokens), priority=priority)  # at ticks 1 to 3
    cache.insert(RadixKey([1, 1]))
    cache.insert(RadixKey([1, 1]))
    cache.insert(RadixKey([3, 3]))  # at tick 6
    return cache


def test_policies_know_their_names() -> None:
    """Each policy is found under the name that it has."""
    assert {name: make().name for name, make in eviction_policies().items()} == {name: name for name in NAMES}


@pytest.mark.parametrize("name", ["LRU", "", "newest"])
def test_unknown_policy(name: str) -> None:
    """Names are exact, and an unknown one is refused with the known ones."""
    with pytest.raises(UnknownPolicy) as raised:
        eviction_policy(name)
    assert raised.value.facts() == {"name": name, "known": NAMES}


@pytest.mark.parametrize(
    ("policy", "order"),
    [
        ("lru", [((2,), 2), ((5,), 1), ((6,), 3)]),
        ("lfu", [((1, 2), 2), ((2, 6), 3), ((3, 5), 1)]),
        ("fifo", [((1,), 1), ((2,), 2), ((3,), 3)]),
        ("mru", [((-6, -3), 3), ((-5, -1), 1), ((-2, -2), 2)]),
        ("filo", [((-3,), 3), ((-2,), 2), ((-1,), 1)]),
        ("slru", [((0, 2), 2), ((1, 5), 1), ((1, 6), 3)]),
        ("priority", [((0, 2), 2), ((3, 6), 3), ((5, 5), 1)]),
    ],
)
def test_the_order_can_be_asked_for(policy: str, order: list[tuple[tuple[int, ...], int]]) -> None:
    """Every leaf that nobody holds is told with its key, worst first, and they go in that order."""
    cache = used(policy)
    assert list(cache.eviction_order()) == order
    assert [cache.evict(1)[0] for _ in order] == [node_id for _, node_id in order]


def test_only_free_leaves_are_in_the_order() -> None:
    """What is held and what has a child is not in the order; a parent joins when its last child goes."""
    cache = RadixCache()
    for tokens in ([1, 2], [1, 3], [4]):
        cache.insert(RadixKey(tokens))
    cache.inc_lock_ref(cache.match_prefix(RadixKey([4])).node)
    assert [candidate.node_id for candidate in cache.eviction_order()] == [1, 3]
    cache.evict(2)
    assert [candidate.node_id for candidate in cache.eviction_order()] == [2]


def test_what_was_used_last_goes_first_at_once() -> None:
    """Under mru a look-up moves its leaf to the front, and so the tail that it cuts off."""
    cache = RadixCache(policy="mru")
    for tokens in ([1, 2, 3], [4], [5]):
        cache.insert(RadixKey(tokens))
    cache.match_prefix(RadixKey([4]))
    cache.match_prefix(RadixKey([1, 2]))
    assert [cache.evict(1).tolist() for _ in range(4)] == [[3], [1, 2], [4], [5]]


def test_many_uses_do_not_fill_the_queue() -> None:
    """A key that falls at each use leaves entries behind; they are dropped before they outnumber the leaves."""
    cache = RadixCache(policy="mru")
    for token in range(10):
        cache.insert(RadixKey([token]))
    for _ in range(100):
        for token in range(10):
            cache.match_prefix(RadixKey([token]))
    assert len(cache._queue) <= 2 * 10 + SPARE_ENTRIES
    assert [cache.evict(1)[0] for _ in range(10)] == list(range(9, -1, -1))
