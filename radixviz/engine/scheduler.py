"""Scheduler: who waits, who runs, and who of the waiting may come in."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from radixviz.cache.page_pool import PagePool
from radixviz.cache.prefix_cache import MatchResult, PrefixCache
from radixviz.engine.request import Sequence


class Admission:
    """Counts what a batch under construction will need, against what is free or can be evicted.

    The nodes that an admitted sequence will hold can no longer be evicted, so they are taken off once, however many
    hold them: nobody's own cached prefix is counted as free space.
    """

    def __init__(self, cache: PrefixCache, pool: PagePool) -> None:
        self._pool = pool
        self._room = pool.free_pages + cache.evictable_size // pool.page_size
        self._held = set[int]()

    def admit(self, match: MatchResult, pages: int) -> bool:
        """Take a sequence in that needs `pages` and will hold the path of `match`; False when it does not fit."""
        path = [node for node in match.node.path() if node.lock_ref == 0 and node.node_id not in self._held]
        room = self._room - sum(len(node.key) for node in path) // self._pool.page_size - pages
        if room < 0:
            return False
        self._room = room
        self._held.update(node.node_id for node in path)
        return True


class Scheduler:
    """First come, first served; at most `max_running` sequences at once.

    A retracted sequence goes to the head of the queue.
    """

    def __init__(self, *, max_running: int = 64) -> None:
        self._max_running = max_running
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []

    @property
    def has_work(self) -> bool:
        """Whether somebody waits or runs."""
        return bool(self.waiting or self.running)

    def candidates(self) -> list[Sequence]:
        """Return the waiting sequences that may be taken into the next batch, in the order to try them."""
        room = self._max_running - len(self.running)
        chosen = list[Sequence]()
        for sequence in self.waiting:
            room -= 1 + sequence.forks
            if room < 0 and (chosen or self.running):
                break
            chosen.append(sequence)
        return chosen

    def start(self, sequences: Iterable[Sequence]) -> None:
        """Move these from the queue to the running ones."""
        for sequence in sequences:
            self.waiting.remove(sequence)
            self.running.append(sequence)

    def finish(self, sequence: Sequence) -> None:
        """Take a running sequence out."""
        self.running.remove(sequence)

    def send_back(self, sequence: Sequence) -> None:
        """Put a running sequence at the head of the queue."""
        self.running.remove(sequence)
        self.waiting.appendleft(sequence)
