"""The pages of a frame: those that came back in it, those that eviction freed, and how many were short."""

from __future__ import annotations

from radixviz.events import NodeEvicted, PagesFreed, PageShort
from radixviz.timeline import Frame


def freed_pages(frame: Frame) -> frozenset[int]:
    """Return the pages that came back in this frame and are still free."""
    freed = {page for event in frame.events if isinstance(event, PagesFreed) for page in event.pages}
    return frozenset(view.page for view in frame.pool.pages if view.page in freed and view.state == "free")


def pages_short(frame: Frame) -> int:
    """Return how many pages were short in this frame."""
    return sum(event.short for event in frame.events if isinstance(event, PageShort))


def pages_evicted(frame: Frame) -> int:
    """Return how many pages eviction freed in this frame."""
    size = frame.pool.page_size
    return sum(len(event.slots) // size for event in frame.events if isinstance(event, NodeEvicted))
