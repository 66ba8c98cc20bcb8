from __future__ import annotations

import pytest

from radixviz.cache.page_pool import PagePool
from radixviz.errors import BadPageSize, BadPoolPages, BadTokenCount, PageFreedTwice, PoolExhausted


def free_list(pool: PagePool) -> list[int]:
    """Return the free pages in the order in which they would be taken."""
    pages = pool.allocate(pool.free_pages)
    pool.free(pages)
    return pages


def test_pages_come_in_order() -> None:
    """Pages are numbered from 1, taken from the head of the free list and given back at its tail."""
    pool = PagePool(5)
    assert pool.allocate(3) == [1, 2, 3]
    pool.free([3, 1])
    assert (pool.free_pages, pool.allocate(4)) == (4, [4, 5, 3, 1])


def test_page_zero_is_padding() -> None:
    """Page 0 is neither free nor can it be given back."""
    pool = PagePool(2)
    assert [pool.is_free(page) for page in range(3)] == [False, True, True]
    with pytest.raises(PageFreedTwice, match="page=0"):
        pool.free([0])


def test_pages_and_slots() -> None:
    """A page's slots follow each other, and whole pages are found again from their slots."""
    pool = PagePool(4, page_size=4)
    assert pool.slots_of([1, 3]) == [4, 5, 6, 7, 12, 13, 14, 15]
    assert pool.pages_of([4, 5, 6, 7, 12, 13]) == [1, 3]
    assert pool.pages_of([]) == []
    assert [pool.pages_for(tokens) for tokens in (0, 1, 4, 5, 8)] == [0, 1, 1, 2, 2]


def test_allocate_nothing() -> None:
    """Taking no page is possible even from an empty pool."""
    pool = PagePool(1)
    assert (pool.allocate(1), pool.allocate(0)) == ([1], [])


def test_allocate_too_much() -> None:
    """More pages than are free are an error, and none is taken."""
    pool = PagePool(3)
    pool.allocate(1)
    with pytest.raises(PoolExhausted) as raised:
        pool.allocate(3)
    assert (raised.value.facts(), free_list(pool)) == ({"pages": 3, "free": 2}, [2, 3])


def test_allocate_less_than_nothing() -> None:
    """A negative number of pages is an error."""
    with pytest.raises(BadTokenCount) as raised:
        PagePool(3).allocate(-1)
    assert raised.value.facts() == {"name": "num_pages", "value": -1}


@pytest.mark.parametrize(
    ("pages", "culprit"),
    [([2, 4], 4), ([2, 2], 2), ([2, 6], 6), ([2, -1], -1)],
    ids=["free", "twice", "above", "below"],
)
def test_free_what_is_not_taken(pages: list[int], culprit: int) -> None:
    """A page that is free, named twice or not of this pool is an error, and none of them is given back."""
    pool = PagePool(5)
    pool.allocate(3)
    with pytest.raises(PageFreedTwice) as raised:
        pool.free(pages)
    assert (raised.value.facts(), free_list(pool)) == ({"page": culprit}, [4, 5])


@pytest.mark.parametrize("num_pages", [0, -3])
def test_bad_pool_pages(num_pages: int) -> None:
    """A pool has at least one page."""
    with pytest.raises(BadPoolPages) as raised:
        PagePool(num_pages)
    assert raised.value.facts() == {"pool_pages": num_pages, "limit": 1}


def test_bad_page_size() -> None:
    """A page has at least one slot."""
    with pytest.raises(BadPageSize):
        PagePool(4, 0)
