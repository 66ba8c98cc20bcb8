from __future__ import annotations

from radixviz.cache.snapshot import PageView
from radixviz.engine.page_map import own_pages
from tests.engine.serving import Serving


def test_every_page_has_its_state_and_holder() -> None:
    """A page is cached or locked by a node, held by a running sequence, or free."""
    serving = Serving(7, 2)
    serving.run("done", [1, 2, 3, 4], 1)
    serving.submit("running", [1, 2, 5, 6, 7], 2)
    serving.step()
    assert serving.tree("node_id", "lock_ref") == "1 2(2,1) {3 4(1,0), 5 6(3,1)}"
    assert serving.engine.page_map().pages == (
        PageView(1, "locked", 2),
        PageView(2, "cached", 1),
        PageView(3, "locked", 3),
        PageView(4, "running", "running"),
        PageView(5, "free", None),
        PageView(6, "free", None),
        PageView(7, "free", None),
    )


def test_states_of_one_request() -> None:
    """Pages go from free to locked and running, and at the end to cached and free."""
    serving = Serving(6, 2)
    seen = [serving.pages()]
    serving.submit("r", [1, 2, 3], 3)
    while serving.engine.has_work:
        serving.step()
        seen.append(serving.pages())
    assert seen == ["ffffff", "lrffff", "lrffff", "ccffff"]


def test_own_pages_of_a_sequence() -> None:
    """A sequence's own pages are those beyond what it reads in the tree."""
    serving = Serving(6, 2)
    serving.submit("r", [1, 2, 3, 4, 5], 8)
    serving.step(2)
    assert (serving["r"].slots, own_pages(serving["r"], 2)) == ([2, 3, 4, 5, 6, 7], [3])
