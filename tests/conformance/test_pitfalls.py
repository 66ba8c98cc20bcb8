"""Faults that others met, as inputs with their right values.

Elsewhere: A02 in tests/cache/test_scale.py, A08 (reset while in use) in tests/engine/test_cancel.py, A09 (namespaces
lost on the way) in tests/engine/test_namespaces.py, A10 (events) in tests/cache/test_kv_events.py, A13 (hits inflated
by retraction) in tests/engine/test_metrics.py and test_pool_pressure.py, A14 (starvation) in
tests/engine/test_schedule.py, A15 (hash seeds) in tests/cache/test_hash_seeds.py and tests/test_command_line.py.
"""

from __future__ import annotations

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import PageFreedTwice
from tests.conformance.cache_script import Row
from tests.conformance.rows import shows
from tests.deep_tree import chain
from tests.engine.serving import Serving
from tests.tree_text import tree_text

BOTH_WAYS = pytest.mark.parametrize("turn_as_one_edge", [True, False])

CACHE_ROWS = [
    Row(
        "A01 (a): shorter than a page",
        """
        insert 1 2 3    => 0
        match 1 2 3     => -
        match -         => -
        tree            => -
        sizes           => evictable 0, protected 0
        """,
        page_size=4,
    ),
    Row(
        "A01 (b): not a whole number of pages",
        """
        insert 1..8    => 0
        match 1..3     => -
        match 1..7     => 10 20 30 40
        tree           => 1..4 {5..8}
        evict 99       => 50 60 70 80 10 20 30 40
        """,
        page_size=4,
    ),
    Row(
        "A03: the held node itself is protected",
        """
        insert 1..4       => 0
        insert 1 2 5 6    => 2
        lock 1..4         => -4
        sizes             => evictable 2, protected 4
        evict 100         => 50 60
        match 1..4        => 10 20 30 40
        match 1 2 5 6     => 10 20
        unlock 1..4       => 4
        evict 100         => 30 40 10 20
        """,
    ),
    Row(
        "A04: a split under a lock keeps the sizes",
        """
        insert 1..8      => 0
        lock 1..8        => -8
        insert 1..3 9    => 3
        tree lock_ref    => 1..3(1) {4..8(1), 9(0)}
        sizes            => evictable 1, protected 8
        unlock 1..8      => 8
        sizes            => evictable 9, protected 0
        """,
    ),
    Row(
        "A06 (a): no more than needed goes, in whole leaves",
        """
        insert 0..3      => 0
        insert 10..13    => 0
        insert 20..23    => 0
        insert 30..33    => 0
        insert 40..43    => 0
        evict 5          => 0 10 20 30 100 110 120 130
        sizes            => evictable 12, protected 0
        """,
    ),
    Row(
        "A06 (b): the end of a chain goes first",
        """
        insert 1..4     => 0
        insert 1..8     => 4
        insert 1..12    => 8
        evict 4         => 90 100 110 120
        length 1..12    => 8
        """,
        page_size=4,
    ),
]

A07_USES = """
insert 1..4      => 0
insert 11..14    => 0
insert 21..24    => 0
length 1..4      => 4
length 1..4      => 4
length 11..14    => 4
"""
A07_ROWS = [
    *(
        Row(f"A07 (a), {policy}: the victim", A07_USES + f"evict 4 => {victim}", policy=policy)
        for policy, victim in {
            "lru": "210 220 230 240",
            "fifo": "10 20 30 40",
            "mru": "110 120 130 140",
            "filo": "210 220 230 240",
            "lfu": "210 220 230 240",
        }.items()
    ),
    Row(
        "A07 (b): the tail that a look-up cuts off is refreshed too",
        """
        insert 1..6       => 0
        insert 20..23     => 0
        length 1..3       => 3
        evict 3           => 200 210 220 230
        length 1..6       => 6
        length 20..23     => 0
        """,
    ),
]


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in (*CACHE_ROWS, *A07_ROWS)])
def test_row(row: Row) -> None:
    """Every operation of the row gives the right value."""
    assert row.found() == row.expected()


def test_a27_extra_keys_of_other_kinds() -> None:
    """A27 (c): None, 1 and "1" are three namespaces, and are shown as three."""
    cache = RadixCache()
    for extra_key in (None, 1, "1"):
        assert cache.insert(RadixKey([5, 6], extra_key)) == 0  # type: ignore[arg-type]
    assert tree_text(cache.snapshot()) == "5 6, 1: 5 6, '1': 5 6"


@shows("S24")
def test_s24_deep_chain() -> None:
    """S24, A02: 3,000 nodes below each other are matched and listed; more of it is in tests/cache/test_scale.py."""
    cache = chain(3000)
    match = cache.match_prefix(RadixKey(range(3000)))
    assert (match.prefix_len, cache.total_size) == (3000, 3000)
    assert [slot for node in cache.snapshot().nodes for slot in node.slots] == list(range(3000))


@BOTH_WAYS
@pytest.mark.parametrize(
    ("page_size", "prompt", "output", "in_tree", "free"),
    [(1, 5, 8, 12, 52), (4, 10, 4, 12, 52), (4, 10, 7, 16, 48)],
    ids=["A05 (a)", "A05 (b)", "A05 (c)"],
)
def test_a05_pool_is_whole_at_idle(
    page_size: int, prompt: int, output: int, in_tree: int, free: int, turn_as_one_edge: bool
) -> None:
    """At idle every page is free or in the tree: the last token has no K and V, and a tail is freed once."""
    serving = Serving(64 // page_size, page_size, turn_as_one_edge=turn_as_one_edge)
    serving.run("r", range(prompt), output)
    assert (serving.cache.total_size, serving.pool.free_pages * page_size) == (in_tree, free)


def test_a05_freed_twice() -> None:
    """Freeing a page twice is an error, and frees nothing."""
    serving = Serving(8, 4)
    pages = serving.pool.allocate(2)
    serving.pool.free(pages)
    with pytest.raises(PageFreedTwice):
        serving.pool.free(pages)
    assert serving.pool.free_pages == 8


@BOTH_WAYS
@pytest.mark.parametrize(
    ("page_size", "length", "cached"), [(4, 8, 4), (1, 8, 7), (4, 9, 8), (16, 117, 112), (4, 1, 0), (1, 1, 0)]
)
def test_a11_same_prompt_twice(page_size: int, length: int, cached: int, turn_as_one_edge: bool) -> None:
    """A prompt that is cached in full still computes its last token, and reports no more than that allows."""
    serving = Serving(64, page_size, turn_as_one_edge=turn_as_one_edge)
    first, second = serving.run("first", range(length), 1), serving.run("second", range(length), 1)
    assert (first.cached_tokens, second.cached_tokens) == (0, cached)


@BOTH_WAYS
@pytest.mark.parametrize(
    ("page_size", "stored", "asked", "shared", "cached"), [(8, 31, 32, 27, 24), (32, 40, 40, 34, 32)]
)
def test_a11_shared_beginning(
    page_size: int, stored: int, asked: int, shared: int, cached: int, turn_as_one_edge: bool
) -> None:
    """What two prompts share is reported in whole pages."""
    serving = Serving(16, page_size, turn_as_one_edge=turn_as_one_edge)
    serving.run("first", range(stored), 1)
    second = serving.run("second", (*range(shared), *range(500, 500 + asked - shared)), 1)
    assert second.cached_tokens == cached


@BOTH_WAYS
@pytest.mark.parametrize(("page_size", "cached"), [(1, 149), (16, 144)])
def test_a12_generated_tokens_are_reused(page_size: int, cached: int, turn_as_one_edge: bool) -> None:
    """The next turn reuses the reply too, all but its last token."""
    serving = Serving(512 // page_size, page_size, turn_as_one_edge=turn_as_one_edge)
    first = serving.run("first", range(100), 50)
    second = serving.run("second", (*first.token_ids, *range(200, 250)), 1)
    assert (second.prompt_len, second.cached_tokens) == (200, cached)
