"""Whatever a cache, a key or a pool cannot take has an error of its own, and changes nothing."""

from __future__ import annotations

from array import array
from collections.abc import Callable

import pytest

from radixviz.cache.block_cache import BlockCache
from radixviz.cache.key import RadixKey
from radixviz.cache.no_cache import NoCache
from radixviz.cache.page_pool import PagePool
from radixviz.cache.prefix_cache import PrefixCache
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import (
    BadPageSize,
    BadPoolPages,
    BadSlot,
    BadTokenCount,
    BadTokenId,
    ForeignNode,
    NamespaceMismatch,
    NotLocked,
    PageFreedTwice,
    PoolExhausted,
    RadixVizError,
    SlotCountMismatch,
    UnknownPolicy,
)

POLICIES = ("lru", "lfu", "fifo", "mru", "filo", "slru", "priority")
ONE_AND_A_HALF, WORD = array("d", [1.5])[0], "12"


class Parts:
    """A pool of six pages of two tokens, and a cache that has three of them, two held."""

    def __init__(self) -> None:
        self.pool, self.cache = PagePool(6, 2), RadixCache(2)
        self.cache.insert(RadixKey([1, 2, 3, 4]), self.pool.slots_of(self.pool.allocate(2)))
        self.cache.insert(RadixKey([5, 6]), self.pool.slots_of(self.pool.allocate(1)))
        self.held = self.cache.match_prefix(RadixKey([1, 2, 3, 4])).node
        self.free = self.cache.match_prefix(RadixKey([5, 6])).node
        self.cache.inc_lock_ref(self.held)

    def state(self) -> object:
        """Return everything that a refused call must leave as it was."""
        pages = self.pool.allocate(self.pool.free_pages)
        self.pool.free(pages)
        return self.cache.snapshot(), self.cache.eviction_order(), pages

    def insert(self, tokens: list[object], slots: list[object] | None = None, **more: int) -> object:
        """Insert what may be of any type."""
        return self.cache.insert(RadixKey(tokens), slots, **more)  # type: ignore[arg-type]


Misuse = Callable[[Parts], object]
MISUSES: list[tuple[str, Misuse, type[RadixVizError], dict[str, object]]] = [
    (
        "a fraction as a token",
        lambda parts: parts.insert([1, ONE_AND_A_HALF]),
        BadTokenId,
        {"value": 1.5, "position": 1, "limit": None},
    ),
    (
        "a word as a token",
        lambda parts: parts.insert([WORD]),
        BadTokenId,
        {"value": "12", "position": 0, "limit": None},
    ),
    (
        "nothing as a token",
        lambda parts: parts.insert([None]),
        BadTokenId,
        {"value": None, "position": 0, "limit": None},
    ),
    (
        "a token of 65 bits",
        lambda parts: parts.cache.match_prefix(RadixKey([1, 2, 1 << 63])),
        BadTokenId,
        {"value": 1 << 63, "position": 2, "limit": None},
    ),
    (
        "keys of two namespaces",
        lambda parts: RadixKey([1, 2], "a").match(RadixKey([1, 2], "b")),
        NamespaceMismatch,
        {"part": "extra_key", "left": "a", "right": "b"},
    ),
    ("pages of 0 tokens", lambda parts: RadixCache(0), BadPageSize, {"page_size": 0, "limit": None}),
    ("pages of -4 tokens", lambda parts: PagePool(3, -4), BadPageSize, {"page_size": -4, "limit": None}),
    (
        "keys compared in pages of 0",
        lambda parts: RadixKey([1]).match(RadixKey([1]), 0),
        BadPageSize,
        {"page_size": 0, "limit": None},
    ),
    (
        "a key cut to pages of -1",
        lambda parts: RadixKey([1]).page_aligned(-1),
        BadPageSize,
        {"page_size": -1, "limit": None},
    ),
    ("a pool of no page", lambda parts: PagePool(0), BadPoolPages, {"pool_pages": 0, "limit": 1}),
    ("-1 tokens evicted", lambda parts: parts.cache.evict(-1), BadTokenCount, {"name": "num_tokens", "value": -1}),
    ("-1 pages taken", lambda parts: parts.pool.allocate(-1), BadTokenCount, {"name": "num_pages", "value": -1}),
    (
        "-2 tokens inserted before",
        lambda parts: parts.insert([1, 2, 7, 8], inserted_len=-2),
        BadTokenCount,
        {"name": "inserted_len", "value": -2},
    ),
    ("4 pages of 3", lambda parts: parts.pool.allocate(4), PoolExhausted, {"pages": 4, "free": 3}),
    ("too few slots", lambda parts: parts.insert([1, 2, 7, 8], [8, 9]), SlotCountMismatch, {"tokens": 4, "slots": 2}),
    ("too many slots", lambda parts: parts.insert([1, 2], [8, 9, 10]), SlotCountMismatch, {"tokens": 2, "slots": 3}),
    (
        "a word as a slot",
        lambda parts: parts.insert([1, 2, 7, 8], [8, 9, 10, WORD]),
        BadSlot,
        {"value": "12", "position": 3},
    ),
    ("a page freed twice", lambda parts: parts.pool.free([1, 1]), PageFreedTwice, {"page": 1}),
    ("a free page freed", lambda parts: parts.pool.free([2, 5]), PageFreedTwice, {"page": 5}),
    ("a page that is not there", lambda parts: parts.pool.free([7]), PageFreedTwice, {"page": 7}),
    ("what nobody holds let go", lambda parts: parts.cache.dec_lock_ref(parts.free), NotLocked, {"node_id": 2}),
    (
        "a node of another tree held",
        lambda parts: parts.cache.inc_lock_ref(Parts().held),
        ForeignNode,
        {"node_id": 1},
    ),
    (
        "an unknown policy",
        lambda parts: RadixCache(policy="newest"),
        UnknownPolicy,
        {"name": "newest", "known": POLICIES},
    ),
]


@pytest.mark.parametrize(("misuse", "error", "facts"), [pytest.param(*row[1:], id=row[0]) for row in MISUSES])
def test_misuse(misuse: Misuse, error: type[RadixVizError], facts: dict[str, object]) -> None:
    """The error names the value and the limit, and tree and pool are as before."""
    parts = Parts()
    before = parts.state()
    with pytest.raises(error) as raised:
        misuse(parts)
    assert (type(raised.value), raised.value.facts()) == (error, facts)
    assert parts.state() == before
    parts.cache.check_integrity()


@pytest.mark.parametrize("make_cache", [RadixCache, BlockCache, NoCache])
@pytest.mark.parametrize(
    ("slots", "inserted_len", "error"),
    [
        ([1], 0, SlotCountMismatch(2, 1)),
        ([1, 2, 3], 0, SlotCountMismatch(2, 3)),
        ([1, WORD], 0, BadSlot("12", 1)),
        ([1, 2], -3, BadTokenCount("inserted_len", -3)),
    ],
)
def test_every_cache_refuses_the_same(
    make_cache: Callable[[int], PrefixCache], slots: list[int], inserted_len: int, error: RadixVizError
) -> None:
    """Whatever an engine runs on, an insertion that makes no sense has the same error and changes nothing."""
    cache = make_cache(2)
    cache.insert(RadixKey([1, 2, 3, 4]), [4, 5, 6, 7])
    before = cache.snapshot()
    with pytest.raises(type(error)) as raised:
        cache.insert(RadixKey([1, 2]), slots, inserted_len=inserted_len)
    assert raised.value.facts() == error.facts()
    assert cache.snapshot() == before
    cache.check_integrity()
