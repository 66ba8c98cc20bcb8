"""An engine whose pool is short: evictions, who may come in, who is sent back."""

from __future__ import annotations

import pytest

from radixviz.engine.batching import Batching
from radixviz.events import (
    Event,
    NodeEvicted,
    NodesUnlocked,
    PagesAllocated,
    PagesFreed,
    PageShort,
    PhaseClosed,
    RequestMatched,
    SequenceRetracted,
    TokenSampled,
)
from tests.engine.serving import Serving


def closed(events: list[Event]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the phases that closed, each with its sequences."""
    return [(event.phase, event.sequence_ids) for event in events if isinstance(event, PhaseClosed)]


def pages_told(events: list[Event]) -> list[Event]:
    """Return what was told about pages being short, evicted, freed and allocated."""
    return [event for event in events if isinstance(event, (PageShort, NodeEvicted, PagesFreed, PagesAllocated))]


def test_eviction_in_extend() -> None:
    """A prefill that is short of pages evicts leaf by leaf, least recently used first, before it takes them all."""
    serving = Serving(8)
    serving.run("a", [1, 2, 3], 1)
    serving.run("b", [4, 5, 6], 1)
    serving.events.clear()
    serving.run("c", [7, 8, 9, 10, 11, 12], 1)
    assert pages_told(serving.events) == [
        PageShort("c", 4, "extend"),
        NodeEvicted(1, None, (1, 2, 3), (1, 2, 3)),
        PagesFreed("c", (1, 2, 3), "evicted"),
        PageShort("c", 1, "extend"),
        NodeEvicted(2, None, (4, 5, 6), (4, 5, 6)),
        PagesFreed("c", (4, 5, 6), "evicted"),
        PagesAllocated("c", (7, 8, 1, 2, 3, 4)),
    ]


def test_eviction_in_decode() -> None:
    """A running sequence that needs a page at the moment of a token evicts one leaf then, and no sooner."""
    serving = Serving(6)
    serving.run("a", [1, 2, 3], 1)
    serving.submit("b", [4, 5], 3)
    serving.step(2)
    serving.events.clear()
    serving.run_until_idle()
    assert pages_told(serving.events) == [
        PageShort("b", 1, "decode"),
        NodeEvicted(1, None, (1, 2, 3), (1, 2, 3)),
        PagesFreed("b", (1, 2, 3), "evicted"),
        PagesAllocated("b", (1,)),
    ]
    assert serving.tree() == "4 5 900 901"


def test_what_is_being_read_is_not_evicted() -> None:
    """A hit stays while it is used, although it is the oldest."""
    serving = Serving(8)
    serving.run("old", [1, 2, 3], 1)
    serving.run("young", [4, 5, 6], 1)
    serving.run("user", [1, 2, 3, 7, 8, 9], 1)
    assert (serving["user"].cached_tokens, serving.evicted()) == (3, [(4, 5, 6)])


def test_own_prefix_is_no_room() -> None:
    """A request does not count its own cached prefix as free: it waits until there is room beside it."""
    serving = Serving(8)
    serving.run("prefix", [1, 2, 3, 4], 1)
    serving.submit("running", [5, 6], 3)
    serving.step()
    serving.submit("user", [1, 2, 3, 4, 7, 8, 9], 1)  # 2 pages are free, 4 evictable: its own
    serving.step()
    assert (serving.engine.running, serving.engine.waiting) == (("running",), ("user",))
    serving.run_until_idle()
    assert (serving["user"].cached_tokens, serving.evicted()) == (4, [(5, 6, 900, 901)])


@pytest.mark.parametrize(("pool_pages", "together"), [(10, ("a", "b")), (9, ("a",))])
def test_a_shared_prefix_is_held_once(pool_pages: int, together: tuple[str, ...]) -> None:
    """What two requests will hold is taken off once, although the second look-up splits it."""
    serving = Serving(pool_pages)
    serving.run("prefix", range(1, 9), 1)
    serving.events.clear()
    serving.submit("a", [*range(1, 9), 50], 1)
    serving.submit("b", [*range(1, 5), 60], 1)
    serving.step()
    assert closed(serving.events)[:2] == [("match", together), ("lock", together)]
    assert serving.tree("lock_ref") == (
        "1..4(0) {5..8(0) {50(0)}, 60(0)}" if "b" in together else "1..4(0) {5..8(0) {50(0)}}"
    )


def test_first_come_first_served() -> None:
    """One that does not fit is not overtaken by a smaller one behind it."""
    serving = Serving(8)
    serving.submit("running", [1, 2, 3], 4)
    serving.step()
    serving.submit("large", [11, 12, 13, 14, 15, 16], 1)
    serving.submit("small", [21], 1)
    serving.step(2)
    assert (serving.engine.running, serving.engine.waiting) == (("running",), ("large", "small"))
    serving.run_until_idle()
    assert [ids for phase, ids in closed(serving.events) if phase == "match"] == [("running",), ("large", "small")]


def test_waiting_does_not_break_a_stretch_of_decoding() -> None:
    """One that does not fit is looked up once, not at every step, until one of the running ones goes."""
    serving = Serving(10)
    serving.run("prefix", [1, 2, 3], 1)
    serving.submit("running", [5, 6], 6)
    serving.step(2)
    serving.events.clear()
    serving.submit("large", [1, 2, 8, 9, 10, 11, 12, 13, 14], 1)
    serving.step(2)
    looked_up = serving.cache.root.last_access
    serving.step(1)
    assert serving.cache.root.last_access == looked_up
    assert closed(serving.events) == [("decode", ("running",))]
    serving.run_until_idle()
    assert closed(serving.events)[1:] == [
        ("decode", ("running",)),
        ("cache", ("running",)),
        ("match", ("large",)),
        ("lock", ("large",)),
        ("extend", ("large",)),
        ("cache", ("large",)),
    ]


def test_retraction_and_return() -> None:
    """With nothing left to evict the youngest goes back to the queue and later goes on where it was."""
    serving = Serving(9, reply=lambda sequence_id, number: (900 if sequence_id == "old" else 800) + number)
    serving.run("prefix", [1, 2], 1)
    serving.submit("old", [1, 2, 3], 5)
    serving.submit("young", [1, 2, 4], 5)
    serving.step(3)
    serving.events.clear()
    serving.step()
    assert serving.events == [
        PagesAllocated("old", (9,)),
        PhaseClosed("decode", ("old", "young")),
        PagesFreed("young", (6, 8), "retracted"),
        NodesUnlocked("young", (1, 3)),
        SequenceRetracted("young"),
        TokenSampled("old", 903),
    ]
    serving.events.clear()
    assert (serving.engine.running, serving.engine.waiting) == (("old",), ("young",))
    serving.run_until_idle()
    assert serving.told(RequestMatched) == [RequestMatched("young", 3, 3, (1, 3), resumed=True)]
    young = serving["young"]
    assert (young.prefix_len, young.cached_tokens) == (2, 2)
    assert young.output_ids == (800, 801, 802, 803, 804)
    assert serving["old"].output_ids == (900, 901, 902, 903, 904)


def test_the_youngest_goes_for_an_older_one() -> None:
    """It is not the sequence that is short of a page that goes, but the one that came last."""
    serving = Serving(8)
    serving.submit("old", [1, 2, 3], 5)
    serving.submit("young", [4, 5, 6], 5)
    serving.step(2)
    serving.events.clear()
    serving.step()
    assert serving.told(SequenceRetracted) == [SequenceRetracted("young")]
    assert (len(serving["old"].output_ids), serving.engine.running) == (3, ("old",))


def test_it_returns_when_there_is_room_for_all_of_it() -> None:
    """One that was sent back does not return for the first free page, only to be sent back again."""
    serving = Serving(12)
    serving.submit("long", [1], 9)
    serving.submit("short", [2, 3, 4, 5], 4)
    serving.submit("last", [6, 7], 8)
    serving.run_until_idle()
    assert serving.told(SequenceRetracted) == [SequenceRetracted("last")]
    assert serving["last"].output_ids == tuple(range(900, 908))


def test_it_returns_to_fill_the_pool() -> None:
    """One that was sent back and needs the whole pool returns when it is alone."""
    serving = Serving(8)
    serving.submit("old", [1, 2], 4)
    serving.submit("young", [4, 5, 6, 7], 5)
    serving.run_until_idle()
    assert serving.told(SequenceRetracted) == [SequenceRetracted("young")]
    assert serving["young"].output_ids == (900, 901, 902, 903, 904)


def test_a_return_counts_no_second_hit() -> None:
    """What a sequence reuses after its return is its own work, and no hit of the request."""
    serving = Serving(9)
    serving.submit("old", [1, 2, 3], 5)
    serving.submit("young", [4, 5, 6], 5)
    serving.run_until_idle()
    matches = serving.told(RequestMatched)
    assert [(match.sequence_id, match.resumed) for match in matches] == [
        ("old", False),
        ("young", False),
        ("young", True),
    ]
    assert (serving["young"].prefix_len, serving["young"].cached_tokens) == (0, 0)


def test_a_full_hit_that_fills_the_pool() -> None:
    """Alone, a request holds no page that it cannot reuse, so that a full hit of the whole pool can be served."""
    serving = Serving(2, 4)
    serving.run("first", range(1, 9), 1)
    again = serving.run("again", range(1, 9), 1)
    assert (again.prefix_len, again.cached_tokens, serving.evicted()) == (4, 4, [(5, 6, 7, 8)])


def test_at_most_so_many_run() -> None:
    """No more than `max_running` sequences run at once, samples counted, but a group always runs when alone."""
    serving = Serving(batching=Batching(2))
    serving.submit("a", [1], 3)
    serving.submit("b", [2], 3)
    serving.submit("group", [3], 2, samples=3)
    serving.step(2)
    assert (serving.engine.running, serving.engine.waiting) == (("a", "b"), ("group#1",))
    serving.step(2)
    assert serving.engine.running == ("group#1", "group#2", "group#3")
