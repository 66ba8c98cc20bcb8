from __future__ import annotations

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.request import Request, Sequence
from radixviz.engine.scheduler import Admission, Scheduler
from tests.tree_text import tree_text


def sequence(name: str, samples: int = 1) -> Sequence:
    """Return a sequence that waits."""
    request = Request(name, (1,), 1, samples=samples)
    return Sequence(request, name, 1, request.draw(1), [1], forks=samples - 1)


def names(sequences: list[Sequence]) -> str:
    """Return the ids of these sequences."""
    return " ".join(each.sequence_id for each in sequences)


def scheduler(*waiting: Sequence, max_running: int = 64) -> Scheduler:
    """Return a scheduler with these in its queue."""
    scheduler = Scheduler(max_running=max_running)
    scheduler.waiting.extend(waiting)
    return scheduler


@pytest.mark.parametrize(
    ("samples", "running", "chosen"),
    [
        ((1, 1, 1), 0, "0 1 2"),
        ((1, 1, 1, 1, 1), 0, "0 1 2 3"),
        ((1, 1, 1, 1, 1), 3, "0"),
        ((1, 1), 4, ""),
        ((2, 3, 1), 0, "0"),
        ((2, 2, 1), 0, "0 1"),
        ((9, 1), 0, "0"),
        ((9, 1), 1, ""),
    ],
)
def test_candidates(samples: tuple[int, ...], running: int, chosen: str) -> None:
    """Up to `max_running` sequences, each sample counted, in order; a group that is larger runs alone."""
    tried = scheduler(*(sequence(str(n), count) for n, count in enumerate(samples)), max_running=4)
    tried.running = [sequence(f"running {n}") for n in range(running)]
    assert names(tried.candidates()) == chosen


def test_from_queue_to_the_end() -> None:
    """A sequence waits, runs, may be sent back to the head of the queue, and leaves."""
    a, b, c = (sequence(name) for name in "abc")
    tried = scheduler(a, b, c)
    tried.start([a, b])
    assert (names(tried.running), names(list(tried.waiting))) == ("a b", "c")
    tried.send_back(b)
    assert (names(tried.running), names(list(tried.waiting))) == ("a", "b c")
    tried.finish(a)
    assert (tried.running, tried.has_work) == ([], True)
    tried.start([b, c])
    assert tried.has_work
    tried.finish(c)
    tried.finish(b)
    assert not tried.has_work


def tree() -> tuple[RadixCache, PagePool]:
    """Return a tree of 1..8 {11..14, 21..24} that fills 4 of 6 pages of 4 tokens."""
    cache, pool = RadixCache(4), PagePool(6, 4)
    for branch in (11, 21):
        tokens = [*range(1, 9), *range(branch, branch + 4)]
        cache.insert(RadixKey(tokens), pool.slots_of([1, 2, *pool.allocate(1)]))
    pool.allocate(2)
    return cache, pool


def test_admission_counts_what_will_be_held_once() -> None:
    """Two free pages and four that can be evicted: the first takes its path away, the second only what is new of it."""
    cache, pool = tree()
    admission = Admission(cache, pool)
    first = cache.match_prefix(RadixKey([*range(1, 9), *range(11, 15)]))  # three pages held: three are left
    assert admission.admit(first, 1)
    part = cache.match_prefix(RadixKey(range(1, 5)))  # splits what the first holds, and holds nothing more
    assert not admission.admit(part, 3)
    assert admission.admit(part, 1)
    other = cache.match_prefix(RadixKey([*range(1, 9), *range(21, 25)]))  # would hold the last page that can go
    assert not admission.admit(other, 1)
    assert admission.admit(other, 0)


def test_admission_leaves_no_lock() -> None:
    """Once the batch is chosen nothing is held by the choosing itself, whether it fitted or not."""
    cache, pool = tree()
    admission = Admission(cache, pool)
    assert admission.admit(cache.match_prefix(RadixKey(range(1, 9))), 2)
    assert not admission.admit(cache.match_prefix(RadixKey([*range(1, 9), *range(11, 15)])), 99)
    admission.close()
    assert tree_text(cache.snapshot(), "lock_ref") == "1..8(0) {11..14(0), 21..24(0)}"
    cache.check_integrity()
