"""What SGLang's own tests and further runs of SGLang 0.5.23 say of the cache, row by row.

All rows, those left out, and the reasons are in rows.py.
"""

from __future__ import annotations

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import BadPageSize, UnknownPolicy
from tests.conformance.cache_script import Row
from tests.conformance.rows import shows
from tests.tree_text import tree_text

A1 = [
    Row(
        "reset",
        """
        insert 1 2 3    => 0
        reset           => -
        sizes           => evictable 0, protected 0
        tree            => -
        match 1 2 3     => -
        """,
    ),
    Row(
        "insert_and_match_basic",
        """
        insert 1 2 3 at 10 20 30    => 0
        sizes                       => evictable 3, protected 0
        match 1 2 3                 => 10 20 30
        match 1 2                   => 10 20
        """,
    ),
    Row(
        "insert_and_match_basic, disabled",
        """
        insert 1 2 3    => 0
        match 1 2 3     => -
        sizes           => evictable 0, protected 0
        """,
        disabled=True,
    ),
    Row(
        "total_size",
        """
        sizes           => evictable 0, protected 0
        insert 1 2 3    => 0
        sizes           => evictable 3, protected 0
        insert 4 5      => 0
        sizes           => evictable 5, protected 0
        """,
    ),
    Row(
        "extra_key_isolation",
        """
        insert 1 2 3 key key1 at 10 20 30    => 0
        insert 1 2 3 key key2 at 40 50 60    => 0
        insert 1 2 3 at 70 80 90             => 0
        match 1 2 3 key key1                 => 10 20 30
        match 1 2 3 key key2                 => 40 50 60
        match 1 2 3                          => 70 80 90
        match 1 2 3 key nonexistent          => -
        """,
    ),
    Row(
        "lock_ref_operations",
        """
        insert 1 2 3    => 0
        lock 1 2 3      => -3
        sizes           => evictable 0, protected 3
        unlock 1 2 3    => 3
        sizes           => evictable 3, protected 0
        """,
    ),
    Row(
        "evict_functionality",
        """
        insert 1 2    => 0
        insert 3 4    => 0
        evict 2       => 10 20
        sizes         => evictable 2, protected 0
        """,
    ),
    Row("page_alignment_boundary, 1", "insert 1..5 => 0\nlength 1..5 => 5", page_size=1),
    Row("page_alignment_boundary, 2", "insert 1..5 => 0\nlength 1..5 => 4", page_size=2),
    Row("page_alignment_boundary, 4", "insert 1..6 => 0\nlength 1..6 => 4", page_size=4),
    Row("all_values_flatten", "insert 1 2 => 0\ninsert 3 4 => 0\nslots => 10 20 30 40"),
    *(
        Row(
            f"advanced_prefix_match_with_node_splits, {page_size}",
            """
            insert 1..8               => 0
            insert 1 2 9 10           => 2
            sizes                     => evictable 10, protected 0
            match 1..4 999 1000       => 10 20 30 40
            sizes                     => evictable 10, protected 0
            match 1..8                => 10 20 30 40 50 60 70 80
            match 1..6 777 888        => 10 20 30 40 50 60
            sizes                     => evictable 10, protected 0
            match 1 2 9 10            => 10 20 90 100
            tree                      => 1 2 {3 4 {5 6 {7 8}}, 9 10}
            """,
            page_size=page_size,
        )
        for page_size in (1, 2)
    ),
]

A5 = [
    Row("empty_tree", "match 1 2 3 => -"),
    Row("insert_and_match", "insert 1..3 at 10 11 12 => 0\nmatch 1..3 => 10..12"),
    Row(
        "overlap",
        """
        insert 1..3 at 10 11 12          => 0
        insert 1..5 at 20 21 22 13 14    => 3
        match 1..5                       => 10..14
        """,
    ),
    Row(
        "lock_deepest",
        """
        insert 1..3    => 0
        insert 1..5    => 3
        lock 1..5      => -5
        sizes          => evictable 0, protected 5
        unlock 1..5    => 5
        sizes          => evictable 5, protected 0
        """,
    ),
    Row(
        "evict_all",
        """
        insert 1..3 at 10 11 12          => 0
        insert 1..5 at 20 21 22 13 14    => 3
        evict 100                        => 13 14 10..12
        sizes                            => evictable 0, protected 0
        """,
    ),
    Row(
        "one_root",
        """
        insert 1 2 3           => 0
        insert 1 2 3 key k     => 0
        lock - key k           => 0
        lock -                 => 0
        root lock_ref          => 1
        """,
    ),
    Row(
        "full_miss",
        """
        insert 1 2 3           => 0
        match 4                => -
        lock 4                 => 0
        sizes                  => evictable 3, protected 0
        """,
    ),
    Row("no_priority", "insert 1 2 => 0\ntree priority => 1 2(0)"),
    Row(
        "short_value",
        """
        insert 1 2 3 at 10 20    => SlotCountMismatch tokens=3, slots=2
        tree                     => -
        insert 1 2 3             => 0
        match 1 2 3              => 10 20 30
        """,
    ),
]

S = [
    Row(
        "S1",
        """
        insert 1 2 3         => 0
        insert 1 2 3         => 3
        insert 1 2 4 5       => 2
        insert 1 2 4..7      => 4
        insert 8..12         => 0
        sizes                => evictable 12, protected 0
        tree hit_count       => 1 2(4) {3(2), 4 5(2) {6 7(1)}}, 8..12(1)
        match 1 2 3 13 14    => 10 20 30
        tree hit_count       => 1 2(4) {3(2), 4 5(2) {6 7(1)}}, 8..12(1)
        """,
    ),
    Row(
        "S2",
        """
        insert 1..5    => 0
        match 1 2 9    => 10 20
        tree           => 1 2 {3..5}
        sizes          => evictable 5, protected 0
        """,
    ),
    Row(
        "S3",
        """
        insert 1..6    => 0
        tree slots     => 1..4(10 20 30 40)
        match 1..6     => 10 20 30 40
        match 1..3     => -
        """,
        page_size=4,
    ),
    Row(
        "S4",
        """
        insert 1..12               => 0
        insert 1..6 70 80 9..12    => 4
        tree                       => 1..4 {5..12, 5 6 70 80 9..12}
        sizes                      => evictable 20, protected 0
        """,
        page_size=4,
    ),
    Row(
        "S5",
        """
        insert 1..8             => 0
        insert 1 2 30 40 5..8   => 0
        tree                    => 1..8, 1 2 30 40 5..8
        """,
        page_size=4,
    ),
    Row(
        "S6",
        """
        insert 1..4      => 0
        insert 1 2 5 6   => 2
        sizes            => evictable 6, protected 0
        lock 1..4        => -4
        sizes            => evictable 2, protected 4
        hold 1..4        => 0
        evict 100        => 50 60
        unlock 1..4      => 0
        unlock 1..4      => 4
        evict 1          => 30 40
        evict 1          => 10 20
        evict 1          => -
        """,
    ),
    Row(
        "S7",
        """
        insert 1..4       => 0
        lock 1..4         => -4
        insert 1 2 9      => 2
        tree lock_ref     => 1 2(1) {3 4(1), 9(0)}
        sizes             => evictable 1, protected 4
        unlock 1..4       => 4
        tree lock_ref     => 1 2(0) {3 4(0), 9(0)}
        sizes             => evictable 5, protected 0
        """,
    ),
    Row(
        "S8",
        """
        insert 1 2    => 0
        insert 3 4    => 0
        insert 5 6    => 0
        match 1 2     => 10 20
        evict 2       => 30 40
        evict 2       => 50 60
        evict 2       => 10 20
        """,
    ),
    Row("S10", "insert 1..5 => 0\nevict 1 => 10 20 30 40 50"),
    Row("S11", "insert 1 2 3 => 0\ninsert 1 2 4 => 2\nevict 4 => 30 40 10 20"),
    Row("S12", "insert 1..3 => 0\nevict 100 => 10 20 30\nevict 1 => -"),
    Row(
        "S13",
        """
        insert 1 2 3      => 0
        tree hit_count    => 1..3(1)
        insert 1 2 3      => 3
        tree hit_count    => 1..3(2)
        insert 1 2 9      => 2
        tree hit_count    => 1 2(3) {3(2), 9(1)}
        match 1 2 3       => 10 20 30
        tree hit_count    => 1 2(3) {3(2), 9(1)}
        """,
    ),
    Row(
        "S14",
        """
        insert 1 2 3 priority 1    => 0
        insert 1 2 4 priority 7    => 2
        tree priority              => 1 2(7) {3(1), 4(7)}
        insert 1 2 3 priority 4    => 3
        tree priority              => 1 2(7) {3(4), 4(7)}
        root priority              => 7
        """,
    ),
    Row(
        "S15",
        """
        insert 1 2 3 key a     => 0
        insert 1 2 3 key b     => 0
        insert 1 2 3           => 0
        insert 1 2 3 key ''    => 0
        tree                   => 'a': 1..3, 'b': 1..3, 1..3, '': 1..3
        sizes                  => evictable 12, protected 0
        match 1 2 3 key z      => -
        """,
    ),
    Row(
        "S16",
        """
        insert -    => 0
        match -     => -
        lock -      => 0
        tree        => -
        """,
    ),
    Row(
        "S17",
        """
        insert 1 2 3    => 0
        match 1 2 3     => -
        lock 1 2 3      => 0
        evict 5         => -
        sizes           => evictable 0, protected 0
        """,
        disabled=True,
    ),
    Row(
        "S18",
        """
        insert 1 2 3     => 0
        lock 1 2 3       => -3
        reset            => -
        sizes            => evictable 0, protected 0
        root lock_ref    => 1
        """,
    ),
    Row(
        "S19",
        """
        insert 1 2 3 at 10 20 30     => 0
        insert 1..4 at 91 92 93 94   => 3
        match 1..4                   => 10 20 30 94
        sizes                        => evictable 4, protected 0
        """,
    ),
    Row("S20", "insert 0..99 => 0\nlength 0..199 => 100\nlength 0..49 => 50"),
    Row(
        "S21",
        """
        insert 1..4    => 0
        insert 7 8     => 0
        match 1 2      => 10 20
        evict 2        => 70 80
        evict 2        => 30 40
        evict 2        => 10 20
        """,
    ),
]

S9_USES = """
insert 1 1 priority 5    => 0
insert 2 2 priority 1    => 0
insert 3 3 priority 3    => 0
insert 4 4 priority 1    => 0
match 2 2                => 20 20
insert 1 1               => 2
insert 1 1               => 2
match 4 4                => 40 40
"""
S9_ORDERS = {
    "lru": (3, 2, 1, 4),
    "lfu": (3, 2, 4, 1),
    "fifo": (1, 2, 3, 4),
    "mru": (4, 1, 2, 3),
    "filo": (4, 3, 2, 1),
    "priority": (2, 4, 3, 1),
    "slru": (3, 2, 4, 1),
}
POLICIES = [
    *(
        Row(f"S9, {policy}", S9_USES + "".join(f"evict 2 => {n}0 {n}0\n" for n in order), policy=policy)
        for policy, order in S9_ORDERS.items()
    ),
    Row(
        "S22",
        """
        insert 1..4    => 0
        insert 7 8     => 0
        match 1 2      => 10 20
        evict 2        => 30 40
        evict 2        => 70 80
        evict 2        => 10 20
        """,
        policy="fifo",
    ),
]


TABLES = {
    **{f"A1 cache {row.name}": row for row in A1},
    **{f"A5 {row.name}": row for row in A5},
    **{row.name: row for row in (*S, *POLICIES)},
}


@shows(*TABLES)
@pytest.mark.parametrize("row", [pytest.param(row, id=name) for name, row in TABLES.items()])
def test_row(row: Row) -> None:
    """Every operation of the row gives the answer that SGLang gives."""
    assert row.found() == row.expected()


@shows("A1 cache init_variations")
@pytest.mark.parametrize(("page_size", "disabled"), [(1, False), (4, False), (1, True)])
def test_a1_init_variations(page_size: int, disabled: bool) -> None:
    """A1 init_variations: a new cache has an empty root, which is held."""
    cache = RadixCache(page_size, disabled=disabled)
    assert (cache.page_size, len(cache.root.key), cache.root.lock_ref) == (page_size, 0, 1)


@shows("A5 page_0")
def test_a5_page_size_zero() -> None:
    """A5: a page of no token is a ValueError."""
    with pytest.raises(ValueError, match="page_size=0") as raised:
        RadixCache(0)
    assert raised.type is BadPageSize


@shows("A5 unknown_policy")
def test_a5_unknown_policy() -> None:
    """A5: an unknown policy is a ValueError that names the known ones."""
    with pytest.raises(ValueError, match=r"name='newest', known=.*'lru'") as raised:
        RadixCache(policy="newest")
    assert raised.type is UnknownPolicy


@shows("A1 cache insert_with_none_value")
def test_a1_insert_with_none_value() -> None:
    """A1 insert_with_none_value: without slots the tokens stand for them."""
    cache = RadixCache()
    assert cache.insert(RadixKey([1, 2, 3]), None) == 0
    assert tree_text(cache.snapshot(), "slots") == "1..3(1..3)"
