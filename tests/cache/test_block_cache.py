from __future__ import annotations

from array import array
from collections.abc import Callable

import pytest

from radixviz.cache.block_cache import BlockCache
from radixviz.cache.key import RadixKey
from radixviz.cache.kv_events import BlockRemoved, BlockStored, KVEventLog
from radixviz.cache.node import TreeNode
from radixviz.errors import (
    BadPageSize,
    BadSlot,
    BadTokenCount,
    ForeignNode,
    IntegrityError,
    NotLocked,
    SlotCountMismatch,
)
from radixviz.events import CacheReset, Event, NodeAdded, NodeEvicted
from tests.tree_text import ids_of, tree_text

NOWHERE = (None, None, None, None)


def made(*sequences: str, page_size: int = 2) -> BlockCache:
    """Return a cache with these sequences, whose slots are ten times the token."""
    cache = BlockCache(page_size)
    for tokens in sequences:
        insert(cache, tokens)
    return cache


def insert(cache: BlockCache, tokens: str, *, priority: int = 0, inserted_len: int = 0) -> int:
    """Insert, and check every law."""
    key, slots = RadixKey(ids_of(tokens)), [token * 10 for token in ids_of(tokens)]
    known = cache.insert(key, slots, priority=priority, inserted_len=inserted_len)
    cache.check_integrity()
    return known


def found(cache: BlockCache, tokens: str) -> TreeNode:
    """Return the block where these tokens end."""
    match = cache.match_prefix(RadixKey(ids_of(tokens)))
    assert match.prefix_len == len(ids_of(tokens))
    return match.node


def test_full_blocks_only() -> None:
    """A block that is not full is neither kept nor found, and each block is a node of its own."""
    cache = made("1..5")
    assert (tree_text(cache.snapshot(), "slots"), cache.total_size) == ("1 2(10 20) {3 4(30 40)}", 4)
    assert cache.match_prefix(RadixKey([1, 2, 3])).slots.tolist() == [10, 20]
    assert cache.match_prefix(RadixKey([1])).node is cache.root


def test_equal_blocks_in_other_places_are_others() -> None:
    """The hash of a block is that of everything up to it: equal tokens elsewhere, or in another namespace, differ."""
    cache = made("1 2 1 2 1 2", "5 6 1 2")
    cache.insert(RadixKey([1, 2], "other"))
    assert tree_text(cache.snapshot()) == "1 2 {1 2 {1 2}}, 5 6 {1 2}, 'other': 1 2"
    assert [cache.match_prefix(RadixKey(ids)).prefix_len for ids in ([1, 2] * 4, [5, 6, 1, 2, 1, 2])] == [6, 4]


def test_a_look_up_is_no_use() -> None:
    """What is evicted first was let go longest ago, however often it was found since."""
    cache = made("1 2", "3 4")
    cache.match_prefix(RadixKey([1, 2]))
    assert cache.evict(1).tolist() == [10, 20]


def test_an_insertion_and_a_hold_are_uses() -> None:
    """What was inserted again or held goes later."""
    cache = made("1 2", "3 4", "5 6")
    insert(cache, "1 2")
    node = found(cache, "3 4")
    assert (cache.inc_lock_ref(node), cache.evictable_size, cache.protected_size) == (-2, 4, 2)
    assert (cache.dec_lock_ref(node), cache.evictable_size) == (2, 6)
    assert cache.evict(99).tolist() == [50, 60, 10, 20, 30, 40]


def test_the_end_of_a_sequence_goes_first() -> None:
    """Single blocks go, last one first, so what is left is found: two blocks of three."""
    cache = made("1..6")
    assert cache.evict(2).tolist() == [50, 60]
    cache.check_integrity()
    assert cache.match_prefix(RadixKey(range(1, 7))).prefix_len == 4


def test_no_block_outlives_the_one_before_it() -> None:
    """A sequence that was lengthened later still loses its end first."""
    cache = made("1 2", "1..4", "1 2 5 6")
    assert [cache.evict(1).tolist() for _ in range(3)] == [[30, 40], [50, 60], [10, 20]]


def test_what_is_held_stays() -> None:
    """A held block protects those before it, whatever is asked; the rest of its sequence can go."""
    cache = made("1..6")
    node = found(cache, "1..4")
    cache.inc_lock_ref(node)
    cache.inc_lock_ref(found(cache, "1 2"))
    assert cache.evict(99).tolist() == [50, 60]
    assert cache.dec_lock_ref(node) == 2
    cache.check_integrity()
    assert tree_text(cache.snapshot(), "lock_ref") == "1 2(1) {3 4(0)}"


def test_first_writer_wins_and_hits_count_once() -> None:
    """An insertion keeps the slots that were there, raises priorities, and counts hits beyond `inserted_len`."""
    cache = made("1..4")
    assert insert(cache, "1..6", priority=3, inserted_len=2) == 4
    fields = ("slots", "hit_count", "priority")
    assert tree_text(cache.snapshot(), *fields) == "1 2(10 20,1,3) {3 4(30 40,2,3) {5 6(50 60,1,3)}}"


def test_events() -> None:
    """Each block that comes or goes is told, and so outsiders are told of it too."""
    events: list[Event] = []
    cache = BlockCache(2, emit=events.append)
    cache.insert(RadixKey([1, 2, 3, 4]), [10, 20, 30, 40])
    cache.evict(1)
    cache.reset()
    assert events == [
        NodeAdded(1, None, (1, 2), (10, 20), NOWHERE),
        NodeAdded(2, 1, (3, 4), (30, 40), NOWHERE),
        NodeEvicted(2, 1, (3, 4), (30, 40)),
        CacheReset(),
    ]
    log = KVEventLog(2)
    for event in events:
        log.note(event)
    assert [type(event) for event in log.take()[1:3]] == [BlockStored, BlockRemoved]


def test_reset() -> None:
    """Nothing is found after a reset, and blocks from before are foreign."""
    cache = made("1 2")
    node = found(cache, "1 2")
    cache.reset()
    assert (cache.total_size, cache.match_prefix(RadixKey([1, 2])).prefix_len) == (0, 0)
    with pytest.raises(ForeignNode):
        cache.inc_lock_ref(node)


@pytest.mark.parametrize(
    ("misuse", "error"),
    [
        (lambda cache: cache.insert(RadixKey([1, 2]), [1]), SlotCountMismatch),
        (lambda cache: cache.insert(RadixKey([1, 9]), [1, "x"]), BadSlot),
        (lambda cache: cache.dec_lock_ref(found(cache, "1 2")), NotLocked),
        (lambda cache: cache.inc_lock_ref(found(made("1 2"), "1 2")), ForeignNode),
        (lambda cache: cache.evict(-1), BadTokenCount),
        (lambda cache: BlockCache(0), BadPageSize),
    ],
)
def test_misuse(misuse: Callable[[BlockCache], object], error: type[Exception]) -> None:
    """A wrong call has a named error and changes nothing."""
    cache = made("1..4")
    before = cache.snapshot()
    with pytest.raises(error):
        misuse(cache)
    cache.check_integrity()
    assert cache.snapshot() == before


def cut_block(cache: BlockCache) -> str:
    """Take a token away."""
    block = next(cache.nodes())
    block.key = array("q", [1])
    return "a block holds one page"


def unlink(cache: BlockCache) -> str:
    """Let a block forget the one before it."""
    list(cache.nodes())[1].parent = None
    return "a block is linked to the one before it"


def other_tokens(cache: BlockCache) -> str:
    """Give a block other tokens than those that were hashed."""
    next(cache.nodes()).key = array("q", [8, 8])
    return "a block is found by its hash"


def held_end(cache: BlockCache) -> str:
    """Hold a block and not the one before it."""
    list(cache.nodes())[1].lock_ref = 1
    return "a block is held at least as often as the next"


def held_in_line(cache: BlockCache) -> str:
    """Hold a block without taking it out of the line."""
    for block in cache.nodes():
        block.lock_ref = 1
    return "the free blocks are those that nobody holds"


def wrong_turn(cache: BlockCache) -> str:
    """Let a block go before the next one."""
    cache._free.move_to_end(2)
    return "a block goes after the next"


@pytest.mark.parametrize("fault", [cut_block, unlink, other_tokens, held_end, held_in_line, wrong_turn])
def test_fault_is_caught(fault: Callable[[BlockCache], str]) -> None:
    """With this one fault the check names the law that is broken."""
    cache = made("1..4")
    law = fault(cache)
    with pytest.raises(IntegrityError) as raised:
        cache.check_integrity()
    assert raised.value.law == law
