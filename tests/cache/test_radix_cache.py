from __future__ import annotations

import pytest

from radixviz.cache.eviction import LeastRecentlyUsed
from radixviz.cache.key import RadixKey
from radixviz.cache.node import TreeNode
from radixviz.cache.radix_cache import RadixCache
from radixviz.cache.snapshot import NodeView
from radixviz.errors import BadPageSize, BadTokenCount, ForeignNode, NotLocked, SlotCountMismatch, UnknownPolicy
from radixviz.events import CacheReset, Event, NodeAdded, NodeEvicted, NodeGrown, NodeSplit
from tests.tree_text import tree_text

NOWHERE = (None, None, None, None)


def made(*sequences: list[int], page_size: int = 1, policy: str = "lru") -> RadixCache:
    """Return a cache with these sequences, whose slots are ten times the token."""
    cache = RadixCache(page_size, policy)
    for tokens in sequences:
        cache.insert(RadixKey(tokens), [token * 10 for token in tokens])
    return cache


def found(cache: RadixCache, *tokens: int) -> TreeNode:
    """Return the node where these tokens end."""
    match = cache.match_prefix(RadixKey(tokens))
    assert match.prefix_len == len(tokens)
    return match.node


def test_events_in_order() -> None:
    """Each change of the tree is told as it happens: a leaf, a split, a leaf, a growth, evictions, a reset."""
    events: list[Event] = []
    cache = RadixCache(emit=events.append)
    cache.insert(RadixKey([1, 2, 3]), [10, 20, 30])
    cache.insert(RadixKey([1, 2, 4], None), [11, 21, 40])
    leaf = found(cache, 1, 2, 4)
    cache.insert(RadixKey([1, 2, 4, 5]), [12, 22, 41, 50], grow=leaf)
    cache.insert(RadixKey([1], "other"), [60])
    cache.evict(5)
    cache.reset()
    assert events == [
        NodeAdded(1, None, (1, 2, 3), (10, 20, 30), NOWHERE),
        NodeSplit(1, 2, 2),
        NodeAdded(3, 2, (4,), (40,), NOWHERE),
        NodeGrown(3, (5,), (50,)),
        NodeAdded(4, None, (1,), (60,), (None, None, None, "other")),
        NodeEvicted(1, 2, (3,), (30,)),
        NodeEvicted(3, 2, (4, 5), (40, 50)),
        NodeEvicted(2, None, (1, 2), (10, 20)),
        CacheReset(),
    ]


def test_match_tells_its_node() -> None:
    """A look-up ends at the node of the last matched token, or at the root for none."""
    cache = made([1, 2, 3], [1, 2, 4])
    assert cache.match_prefix(RadixKey([1, 2, 4, 9])).node.path_ids() == (2, 3)
    assert cache.match_prefix(RadixKey([9])).node is cache.root


def test_match_keeps_everything_but_times() -> None:
    """A look-up changes no size, lock, hit count, priority or slot, and refreshes its path and the tail it cuts."""
    cache = made([1, 2, 3, 4], [7, 8])
    before = tree_text(cache.snapshot(), "slots", "lock_ref", "hit_count", "priority", "last_access", "created")
    cache.match_prefix(RadixKey([1, 2]))
    after = tree_text(cache.snapshot(), "slots", "lock_ref", "hit_count", "priority", "last_access", "created")
    assert before == "1..4(10 20 30 40,0,1,0,1,1), 7 8(70 80,0,1,0,2,2)"
    assert after == "1 2(10 20,0,1,0,3,3) {3 4(30 40,0,1,0,3,1)}, 7 8(70 80,0,1,0,2,2)"


def test_split_inherits() -> None:
    """The upper part of a split has the locks, hits and priority of the edge and counts as newly created."""
    cache = RadixCache()
    cache.insert(RadixKey([1, 2, 3, 4]), priority=5)
    cache.insert(RadixKey([1, 2, 3, 4]), priority=5)
    cache.inc_lock_ref(found(cache, 1, 2, 3, 4))
    cache.match_prefix(RadixKey([1, 2, 3]))
    shown = tree_text(cache.snapshot(), "node_id", "lock_ref", "hit_count", "priority", "created")
    assert shown == "1..3(2,1,2,5,4) {4(1,1,2,5,1)}"


def test_split_keeps_the_order_of_siblings() -> None:
    """A split node stands where the whole one stood."""
    cache = made([1, 2, 3], [4], [5])
    cache.match_prefix(RadixKey([1, 2]))
    assert tree_text(cache.snapshot()) == "1 2 {3}, 4, 5"


def test_insert_copies_the_slots() -> None:
    """What the caller does to its lists later does not reach the tree."""
    cache, key, slots = RadixCache(), RadixKey([1, 2]), [10, 20]
    cache.insert(key, slots)
    slots[0] = key.token_ids[1] = 99
    assert tree_text(cache.snapshot(), "slots") == "1 2(10 20)"


def test_prompt_and_finish_count_one_hit() -> None:
    """Nodes that end within `inserted_len` are not counted again, those beyond are."""
    cache = made([1, 2, 3])
    cache.insert(RadixKey([1, 2, 3, 4, 5]), inserted_len=3)
    assert tree_text(cache.snapshot(), "hit_count") == "1..3(1) {4 5(1)}"
    cache.insert(RadixKey([1, 2, 3, 4, 5, 6]), inserted_len=3)
    assert tree_text(cache.snapshot(), "hit_count") == "1..3(1) {4 5(2) {6(1)}}"
    cache.evict(1)
    cache.insert(RadixKey([1, 2, 3, 4, 5, 6]), inserted_len=6)  # counted before, evicted since
    assert tree_text(cache.snapshot(), "hit_count") == "1..3(1) {4 5(2) {6(0)}}"


def test_grow_lengthens_the_leaf() -> None:
    """A leaf that is the end of the path is lengthened, held or not, and keeps its id and hit count."""
    cache = made([1, 2])
    leaf = found(cache, 1, 2)
    assert cache.insert(RadixKey([1, 2, 3]), [10, 20, 30], grow=leaf, inserted_len=2) == 2
    cache.inc_lock_ref(leaf)
    assert cache.insert(RadixKey([1, 2, 3, 4]), [10, 20, 30, 40], grow=leaf, inserted_len=3) == 3
    assert tree_text(cache.snapshot(), "node_id", "slots", "hit_count") == "1..4(1,10 20 30 40,1)"
    assert (cache.evictable_size, cache.protected_size) == (0, 4)


def test_grow_not_a_leaf() -> None:
    """A node with a child does not grow: the rest becomes another child."""
    cache = made([1, 2], [1, 2, 3])
    cache.insert(RadixKey([1, 2, 4]), grow=found(cache, 1, 2))
    assert tree_text(cache.snapshot()) == "1 2 {3, 4}"


def test_grow_held_by_two() -> None:
    """A leaf that two hold does not grow."""
    cache = made([1, 2])
    leaf = found(cache, 1, 2)
    cache.inc_lock_ref(leaf)
    cache.inc_lock_ref(leaf)
    cache.insert(RadixKey([1, 2, 3]), grow=leaf)
    assert tree_text(cache.snapshot(), "lock_ref") == "1 2(2) {3(0)}"


def test_grow_elsewhere() -> None:
    """A leaf where the path does not end does not grow."""
    cache = made([1, 2], [5, 6])
    cache.insert(RadixKey([1, 2, 3]), grow=found(cache, 5, 6))
    assert tree_text(cache.snapshot()) == "1 2 {3}, 5 6"


def test_root_never_grows() -> None:
    """The root holds no token, even as the node to grow."""
    cache = RadixCache()
    cache.insert(RadixKey([1, 2]), grow=cache.root)
    assert (tree_text(cache.snapshot()), len(cache.root.key)) == ("1 2", 0)


def test_grown_leaf_is_evicted_whole() -> None:
    """What grew goes with its leaf."""
    cache = made([1, 2])
    cache.insert(RadixKey([1, 2, 3]), [10, 20, 30], grow=found(cache, 1, 2))
    assert cache.evict(1).tolist() == [10, 20, 30]


def test_namespaces_with_pages() -> None:
    """The same page under two namespaces is two branches, at any page size."""
    cache = RadixCache(4)
    cache.insert(RadixKey([1, 2, 3, 4]), [4, 5, 6, 7])
    cache.insert(RadixKey([1, 2, 3, 4], adapter="lora"), [8, 9, 10, 11])
    assert tree_text(cache.snapshot(), "slots") == "1..4(4..7), 'lora': 1..4(8..11)"
    assert cache.match_prefix(RadixKey([1, 2, 3, 4], cache_salt="lora")).prefix_len == 0


def test_unlock_without_lock() -> None:
    """Letting go of what nobody holds is an error that changes nothing."""
    cache = made([1, 2])
    node = found(cache, 1, 2)
    with pytest.raises(NotLocked, match="node_id=1"):
        cache.dec_lock_ref(node)
    assert (tree_text(cache.snapshot(), "lock_ref"), cache.evictable_size) == ("1 2(0)", 2)


@pytest.mark.parametrize("operation", ["inc_lock_ref", "dec_lock_ref"])
@pytest.mark.parametrize("how", ["evicted", "reset", "another tree", "another root"])
def test_foreign_node(operation: str, how: str) -> None:
    """A node that is not in the tree any more, or never was, can be neither held nor let go."""
    cache = made([1, 2], [1, 2, 3])
    node = found(cache, 1, 2, 3)
    match how:
        case "evicted":
            cache.evict(1)
        case "reset":
            cache.reset()
            cache.insert(RadixKey([1, 2, 3]))
        case "another tree":
            node = found(made([1, 2, 3]), 1, 2, 3)
        case _:
            node = RadixCache().root
    before = tree_text(cache.snapshot(), "lock_ref")
    with pytest.raises(ForeignNode):
        getattr(cache, operation)(node)
    assert tree_text(cache.snapshot(), "lock_ref") == before
    cache.check_integrity()


def test_slot_count() -> None:
    """There must be a slot for each token; otherwise nothing is stored, not even a split."""
    cache = made([1, 2, 3])
    with pytest.raises(SlotCountMismatch) as raised:
        cache.insert(RadixKey([1, 2, 4]), [1, 2])
    assert (raised.value.facts(), tree_text(cache.snapshot())) == ({"tokens": 3, "slots": 2}, "1..3")


def test_evict_zero_and_below() -> None:
    """Evicting nothing frees nothing, and less than nothing is an error."""
    cache = made([1, 2])
    assert cache.evict(0).tolist() == []
    with pytest.raises(BadTokenCount) as raised:
        cache.evict(-1)
    assert (raised.value.facts(), cache.total_size) == ({"name": "num_tokens", "value": -1}, 2)


def test_evict_stops_at_what_is_held() -> None:
    """A held leaf and everything above it stay, whatever is asked."""
    cache = made([1, 2, 3], [1, 2, 4], [5])
    cache.inc_lock_ref(found(cache, 1, 2, 3))
    assert sorted(cache.evict(100)) == [40, 50]
    assert tree_text(cache.snapshot(), "lock_ref") == "1 2(1) {3(1)}"


def test_evict_after_a_stale_entry() -> None:
    """A leaf that was used, held, given a child or lost one since it was queued goes at its right turn."""
    cache = made([1, 2], [3, 4], [5, 6], [7, 8])
    cache.match_prefix(RadixKey([1, 2]))  # used
    cache.inc_lock_ref(found(cache, 3, 4))  # held
    cache.insert(RadixKey([5, 6, 9]), [50, 60, 90])  # no leaf any more
    assert cache.evict(2).tolist() == [70, 80]
    cache.dec_lock_ref(found(cache, 3, 4))
    assert [cache.evict(1).tolist() for _ in range(4)] == [[10, 20], [90], [50, 60], [30, 40]]


def test_evict_looks_at_few_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evicting one leaf of many does not look at all of them: each is queued once and repaired when its turn comes."""
    looked_at = 0
    key = LeastRecentlyUsed.key

    def counted(policy: LeastRecentlyUsed, node: TreeNode | NodeView) -> tuple[int, ...]:
        nonlocal looked_at
        looked_at += 1
        return key(policy, node)

    monkeypatch.setattr(LeastRecentlyUsed, "key", counted)
    cache = made(*([token] for token in range(500)))
    for token in range(0, 500, 2):
        cache.match_prefix(RadixKey([token]))
    freed = [cache.evict(1)[0] // 10 for _ in range(500)]
    assert freed == [*range(1, 500, 2), *range(0, 500, 2)]
    assert looked_at <= 500 + 250 * 2 + 500  # in, repaired, out


def test_reset_keeps_counting_ids() -> None:
    """A node id is never used twice, not even after a reset."""
    cache = made([1], [2])
    cache.reset()
    cache.insert(RadixKey([3]))
    assert [node.node_id for node in cache.nodes()] == [4]


def test_same_operations_same_tree() -> None:
    """Two caches that see the same operations are equal to the last tick and id."""
    snapshots = [made([1, 2, 3], [1, 2, 4], [5, 6], [5, 7]).snapshot() for _ in range(2)]
    assert snapshots[0] == snapshots[1]


@pytest.mark.parametrize("page_size", [0, -1])
def test_bad_page_size(page_size: int) -> None:
    """A page has at least one token."""
    with pytest.raises(BadPageSize) as raised:
        RadixCache(page_size)
    assert raised.value.facts() == {"page_size": page_size, "limit": None}


def test_unknown_policy() -> None:
    """An unknown policy is refused with the names of the known ones."""
    with pytest.raises(UnknownPolicy) as raised:
        RadixCache(policy="belady")
    known = ("lru", "lfu", "fifo", "mru", "filo", "slru", "priority")
    assert raised.value.facts() == {"name": "belady", "known": known}
