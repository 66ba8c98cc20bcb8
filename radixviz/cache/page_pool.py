"""PagePool: which pages are free. What lies in them is the tensors' business, who holds them the engine's."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from radixviz.errors import BadPageSize, BadPoolPages, BadTokenCount, PageFreedTwice, PoolExhausted


class PagePool:
    """`num_pages` pages of `page_size` slots each, numbered from 1; page 0 is padding and never handed out.

    A slot is page * page_size + offset. Pages are taken from the head of the free list and come back at its tail
    (SGLang's order at page size 1, used at every page size here), so a run is repeatable.
    """

    def __init__(self, num_pages: int, page_size: int = 1) -> None:
        if num_pages < 1:
            raise BadPoolPages(num_pages)
        if page_size < 1:
            raise BadPageSize(page_size)
        self.num_pages = num_pages
        self.page_size = page_size
        self._free = deque(range(1, num_pages + 1))
        self._is_free = bytearray(b"\0" + b"\1" * num_pages)

    @property
    def free_pages(self) -> int:
        """How many pages are free."""
        return len(self._free)

    def pages_for(self, num_tokens: int) -> int:
        """Return how many pages `num_tokens` need."""
        return -(-num_tokens // self.page_size)

    def allocate(self, num_pages: int) -> list[int]:
        """Take `num_pages` pages; PoolExhausted, with nothing taken, when fewer are free."""
        if num_pages == 1 and self._free:  # what decoding asks for all the time
            page = self._free.popleft()
            self._is_free[page] = 0
            return [page]
        if num_pages < 0:
            raise BadTokenCount("num_pages", num_pages)
        if num_pages > len(self._free):
            raise PoolExhausted(num_pages, len(self._free))
        pages = [self._free.popleft() for _ in range(num_pages)]
        for page in pages:
            self._is_free[page] = 0
        return pages

    def free(self, pages: Sequence[int]) -> None:
        """Give pages back; PageFreedTwice, with nothing given back, when one is free already or not of this pool."""
        if not pages:
            return
        is_free = self._is_free
        if (
            min(pages) < 1
            or max(pages) > self.num_pages
            or len(set(pages)) < len(pages)
            or any(map(is_free.__getitem__, pages))
        ):
            raise PageFreedTwice(self._wrong_page(pages))
        for page in pages:
            is_free[page] = 1
        self._free.extend(pages)

    def _wrong_page(self, pages: Sequence[int]) -> int:
        given = set[int]()
        for page in pages:
            if not 1 <= page <= self.num_pages or self._is_free[page] or page in given:
                return page
            given.add(page)
        raise AssertionError("one of them is wrong")

    def is_free(self, page: int) -> bool:
        """Return whether this page is free."""
        return bool(self._is_free[page])

    def slots_of(self, pages: Iterable[int]) -> list[int]:
        """Return the slots of these pages in order."""
        size = self.page_size
        if size == 1:
            return list(pages)
        return [slot for page in pages for slot in range(page * size, page * size + size)]

    def pages_of(self, slots: Sequence[int]) -> list[int]:
        """Return the pages of a run of slots that begins at a page's first slot."""
        size = self.page_size
        if size == 1:
            return list(slots)
        return [slot // size for slot in slots[::size]]
