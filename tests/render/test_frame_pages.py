from __future__ import annotations

from radixviz.events import NodeEvicted, PagesFreed, PageShort
from radixviz.render.frame_pages import freed_pages, pages_evicted, pages_short
from radixviz.timeline import TokenSpan
from tests.render.small_timeline import frame, ids, sequence


def test_a_page_that_was_given_away_again_is_not_freed() -> None:
    """Of two pages that came back in the frame, one is in use again at its end."""
    running = sequence("abc", [TokenSpan("computed", 3)], tail=(3,))
    now = frame(sequences=(running,), events=(PagesFreed("A1", (6, 3), "evicted"),), pages=8)
    assert freed_pages(now) == {6}
    assert freed_pages(frame(pages=8)) == frozenset()


def test_short_and_evicted_pages_are_counted() -> None:
    """Two nodes left the tree, for a page that was short."""
    short = PageShort("A1", 1, "decode")
    evicted = (NodeEvicted(4, None, ids("abc"), (7, 8, 9)), NodeEvicted(5, None, ids("d"), (10,)))
    now = frame(events=(short, *evicted))
    assert (pages_short(now), pages_evicted(now)) == (1, 4)
    assert (pages_short(frame()), pages_evicted(frame())) == (0, 0)
