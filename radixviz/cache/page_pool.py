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
        if num_pages < 0:
            raise BadTokenCount("num_pages", num_pages)
        if num_pages > len(self._free):
            raise PoolExhausted(num_pages, len(self._free))
        take, is_free = self._free.popleft, self._is_free
        pages = [take() for _ in range(num_pages)]
        for page in pages:
            is_free[page] = 0
        return pages

    def free(self, pages: Sequence[int]) -> None:
        """Give pages back; PageFreedTwice, with nothing given back, when one is free already or not of this pool."""
        is_free, given = self._is_free, 0
        for page in pages:
            if not 1 <= page <= self.num_pages or is_free[page]:
                break
            is_free[page] = 1  # so that a page that comes twice is seen
            given += 1
        else:
            self._free.extend(pages)
            return
        for page in pages[:given]:
            is_free[page] = 0
        raise PageFreedTwice(pages[given])

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
        return [slot // self.page_size for slot in slots[:: self.page_size]]
