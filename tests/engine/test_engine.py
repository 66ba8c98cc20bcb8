from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from radixviz.cache.block_cache import BlockCache
from radixviz.cache.no_cache import NoCache
from radixviz.cache.page_pool import PagePool
from radixviz.cache.prefix_cache import PrefixCache
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.engine import Engine
from radixviz.engine.runner import SimulatedRunner
from radixviz.errors import PageSizeMismatch
from radixviz.events import (
    Event,
    Namespace,
    NodeAdded,
    NodeGrown,
    NodesLocked,
    NodeSplit,
    NodesUnlocked,
    PagesAllocated,
    PagesFreed,
    PhaseClosed,
    RequestArrived,
    RequestMatched,
    SequenceCached,
    SequenceFinished,
    TokenSampled,
    TokensComputed,
)
from tests.engine.serving import Serving, say

NOWHERE: Namespace = (None, None, None, None)


def phases(events: Iterable[Event]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the phases that closed, each with its sequences."""
    return [(event.phase, event.sequence_ids) for event in events if isinstance(event, PhaseClosed)]


@pytest.mark.parametrize("make_cache", [RadixCache, BlockCache, NoCache])
def test_cache_and_pool_have_pages_of_one_size(make_cache: Callable[[int], PrefixCache]) -> None:
    """An engine on a cache and a pool that cut pages otherwise is refused, and takes no page."""
    pool = PagePool(8, 2)
    with pytest.raises(PageSizeMismatch) as raised:
        Engine(make_cache(4), pool, SimulatedRunner(say))
    assert raised.value.facts() == {"cache": 4, "pool": 2}
    assert pool.free_pages == 8


def test_everything_that_one_request_does() -> None:
    """A request on an empty cache: matched, locked, extended and stored, decoded, finished by growing its leaf."""
    serving = Serving()
    serving.run("r", [1, 2, 3], 3)
    assert serving.events == [
        RequestArrived("r", ("r",), (1, 2, 3), NOWHERE),
        RequestMatched("r", 0, 0, ()),
        PhaseClosed("match", ("r",)),
        NodesLocked("r", ()),
        PhaseClosed("lock", ("r",)),
        PagesAllocated("r", (1, 2, 3)),
        TokensComputed("r", 0, 3),
        NodeAdded(1, None, (1, 2, 3), (1, 2, 3), NOWHERE),
        NodesLocked("r", (1,)),
        SequenceCached("r", 1, 3, 0, False),
        TokenSampled("r", 900),
        PhaseClosed("extend", ("r",)),
        PagesAllocated("r", (4,)),
        TokenSampled("r", 901),
        PagesAllocated("r", (5,)),
        TokenSampled("r", 902),
        PhaseClosed("decode", ("r",)),
        SequenceFinished("r", "length"),
        NodeGrown(1, (900, 901), (4, 5)),
        SequenceCached("r", 1, 5, 3, True),
        NodesUnlocked("r", (1,)),
        PhaseClosed("cache", ("r",)),
    ]


def test_everything_that_a_full_hit_does() -> None:
    """The same prompt again splits where it ends, computes its last token anew and frees that duplicate."""
    serving = Serving()
    serving.run("first", [1, 2, 3], 2)
    serving.events.clear()
    serving.run("again", [1, 2, 3], 1)
    assert serving.events == [
        RequestArrived("again", ("again",), (1, 2, 3), NOWHERE),
        NodeSplit(1, 2, 3),
        RequestMatched("again", 3, 2, (2,)),
        PhaseClosed("match", ("again",)),
        NodesLocked("again", (2,)),
        PhaseClosed("lock", ("again",)),
        PagesAllocated("again", (5,)),
        TokensComputed("again", 2, 3),
        PagesFreed("again", (5,), "duplicate"),
        SequenceCached("again", 2, 3, 3, False),
        TokenSampled("again", 900),
        PhaseClosed("extend", ("again",)),
        SequenceFinished("again", "length"),
        SequenceCached("again", 2, 3, 3, True),
        NodesUnlocked("again", (2,)),
        PhaseClosed("cache", ("again",)),
    ]


@pytest.mark.parametrize(
    ("turn_as_one_edge", "prefix_len", "tree"), [(True, 3, "1..3 {900}"), (False, 2, "1 2 {3 {900}}")]
)
def test_where_a_full_hit_splits(turn_as_one_edge: bool, prefix_len: int, tree: str) -> None:
    """As one edge, a request is matched with its whole prompt; SGLang leaves the last token out. Both reuse two."""
    serving = Serving(turn_as_one_edge=turn_as_one_edge)
    serving.run("first", [1, 2, 3], 2)
    again = serving.run("again", [1, 2, 3], 1)
    assert (again.prefix_len, again.cached_tokens, serving.tree()) == (prefix_len, 2, tree)


@pytest.mark.parametrize(("turn_as_one_edge", "tree"), [(True, "1..3 900 901"), (False, "1..3 {900 901}")])
def test_the_reply_grows_the_leaf_or_hangs_below(turn_as_one_edge: bool, tree: str) -> None:
    """As one edge, a request adds one node; in SGLang's way the output is a child of the prompt."""
    serving = Serving(turn_as_one_edge=turn_as_one_edge)
    serving.run("r", [1, 2, 3], 3)
    assert serving.tree() == tree


def test_a_leaf_of_somebody_else_does_not_grow() -> None:
    """A request whose prompt was there puts its reply below it, and one that adds to it grows its own part only."""
    serving = Serving(reply=lambda sequence_id, number: {"first": 800, "same": 810, "more": 820}[sequence_id] + number)
    serving.run("first", [1, 2], 2)
    serving.run("same", [1, 2], 2)
    serving.run("more", [1, 2, 3], 2)
    assert serving.tree() == "1 2 {800, 810, 3 820}"


def test_the_next_turn_continues_the_edge_below() -> None:
    """A conversation is a chain with a node for each turn; the last sampled token is computed with the next one."""
    serving = Serving()
    first = serving.run("turn 1", [1, 2], 3)
    second = serving.run("turn 2", [*first.token_ids, 3], 2)
    assert (second.cached_tokens, serving.tree()) == (4, "1 2 900 901 {902 3 900}")


@pytest.mark.parametrize(
    ("page_size", "prompt", "output", "tree", "freed"),
    [
        (4, 6, 4, "1..6 900 901", [("r", 1, "tail")]),
        (4, 6, 3, "1..6 900 901", []),
        (4, 3, 1, "", [("r", 1, "tail")]),
        (4, 4, 1, "1..4", []),
    ],
)
def test_tails_are_freed(
    page_size: int, prompt: int, output: int, tree: str, freed: list[tuple[str, int, str]]
) -> None:
    """At the finish whole pages stay in the tree, and the page that is not full is free again."""
    serving = Serving(8, page_size)
    serving.run("r", range(1, prompt + 1), output)
    assert (serving.tree(), serving.freed()) == (tree, freed)


def test_twins_in_one_batch() -> None:
    """Two equal prompts that come together are both computed; then the second copy is freed and both hold one node."""
    serving = Serving(reply=lambda sequence_id, number: 900 + number if sequence_id == "a" else 950)
    serving.submit("a", [1, 2, 3], 3)
    serving.submit("b", [1, 2, 3], 3)
    serving.step()
    assert [serving[name].cached_tokens for name in "ab"] == [0, 0]
    assert (serving.tree("slots", "lock_ref"), serving.freed()) == ("1..3(1..3,2)", [("b", 3, "duplicate")])
    serving.run_until_idle()
    assert serving.tree("slots", "lock_ref") == "1..3(1..3,0) {900 901(7 9,0), 950 950(8 10,0)}"


def test_twins_that_say_the_same() -> None:
    """The second of two equal requests adds nothing: what it computed twice is freed at its finish."""
    serving = Serving()
    serving.submit("a", [1, 2, 3], 3)
    serving.submit("b", [1, 2, 3], 3)
    serving.run_until_idle()
    assert serving.tree("hit_count") == "1..3(2) {900 901(2)}"
    assert serving.freed() == [("b", 3, "duplicate"), ("b", 2, "duplicate")]


def test_a_batch_goes_phase_by_phase() -> None:
    """Requests that come together close each phase together, and finish one by one."""
    serving = Serving()
    serving.submit("a", [1, 2], 2)
    serving.submit("b", [3, 4], 2)
    serving.run_until_idle()
    assert phases(serving.events) == [
        ("match", ("a", "b")),
        ("lock", ("a", "b")),
        ("extend", ("a", "b")),
        ("decode", ("a", "b")),
        ("cache", ("a",)),
        ("cache", ("b",)),
    ]


def test_a_request_that_comes_later() -> None:
    """New requests come in before the running ones decode on, and that ends a stretch of decoding."""
    serving = Serving()
    serving.submit("a", [1, 2], 4)
    serving.step(2)
    serving.submit("b", [3, 4], 2)
    serving.run_until_idle()
    assert phases(serving.events) == [
        ("match", ("a",)),
        ("lock", ("a",)),
        ("extend", ("a",)),
        ("decode", ("a",)),
        ("match", ("b",)),
        ("lock", ("b",)),
        ("extend", ("b",)),
        ("decode", ("a", "b")),
        ("cache", ("b",)),
        ("decode", ("a",)),
        ("cache", ("a",)),
    ]


def test_stop_token() -> None:
    """A reply ends with a stop token, which counts as output and is not stored."""
    serving = Serving()
    serving.submit("r", [1, 2], 9, stops=(901,))
    serving.run_until_idle()
    sequence = serving["r"]
    assert (sequence.output_ids, sequence.finish_reason, serving.tree()) == ((900, 901), "stop", "1 2 900")


def test_namespaces() -> None:
    """The same prompt under None, "a", "b" and "a" again is reused only by the last one."""
    serving = Serving(200)
    cached = []
    for request_id, extra_key in (("1", None), ("2", "a"), ("3", "b"), ("4", "a")):
        serving.submit(request_id, range(20), 1, namespace=(None, None, None, extra_key))
        serving.run_until_idle()
        cached.append(serving[request_id].cached_tokens)
    assert cached == [0, 0, 0, 19]


def test_an_empty_salt_is_no_salt() -> None:
    """A request with the salt "" shares with one that has none."""
    serving = Serving()
    serving.run("plain", [1, 2, 3], 1)
    serving.submit("salted", [1, 2, 3], 1, namespace=(None, None, "", None))
    serving.run_until_idle()
    assert serving["salted"].cached_tokens == 2


def test_priority_reaches_the_tree() -> None:
    """A request's priority is that of its nodes, the shared ones included."""
    serving = Serving()
    serving.submit("low", [1, 2, 3], 1, priority=1)
    serving.submit("high", [1, 2, 4], 1, priority=7)
    serving.run_until_idle()
    assert serving.tree("priority") == "1 2(7) {3(1), 4(7)}"


def test_time_to_the_first_token() -> None:
    """It runs from the submission to the first sampled token, by the clock that was given."""
    serving = Serving()
    serving.run("first", [1, 2, 3], 2)
    serving.run("again", [1, 2, 3], 1)
    assert serving["first"].first_token_seconds == pytest.approx(0.004 + 3 * 0.0001)
    assert serving["again"].first_token_seconds == pytest.approx(0.004 + 1 * 0.0001)


def test_without_a_cache() -> None:
    """With a disabled cache nothing is reused or kept, and every page comes back."""
    serving = Serving(16, 4, disabled=True)
    sequences = [serving.run("a", range(8), 3), serving.run("b", range(8), 3, samples=2)]
    assert [sequence.cached_tokens for sequence in sequences] == [0, 0]
    assert (serving.tree(), serving.pages()) == ("", "f" * 16)


def test_no_work() -> None:
    """A step with nothing to do does nothing."""
    serving = Serving()
    serving.step()
    assert (serving.events, serving.engine.has_work) == ([], False)


def test_same_requests_same_events() -> None:
    """Two engines that are asked the same tell the same, to the last event."""
    told = []
    for _ in range(2):
        serving = Serving(12, 2)
        for number in range(6):
            serving.submit(f"r{number}", [1, 2, 3, number, number], 3)
        serving.run_until_idle()
        told.append(serving.events)
    assert told[0] == told[1]
