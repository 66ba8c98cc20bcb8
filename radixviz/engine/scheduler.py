"""Scheduler: who waits, who runs, and who of the waiting may come in."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from radixviz.cache.node import TreeNode
from radixviz.cache.page_pool import PagePool
from radixviz.cache.prefix_cache import MatchResult, PrefixCache
from radixviz.engine.request import Sequence


class Admission:
    """Counts what a batch under construction will need, against what is free or can be evicted.

    What an admitted sequence will hold can no longer be evicted, so it is held while the batch is chosen: nobody's own
    cached prefix is counted as free space, and what several share is taken off once, even when a later look-up splits
    it. `close` lets go of it. `promised` are the pages that those who run already will still take for their prefill.
    """

    def __init__(self, cache: PrefixCache, pool: PagePool, *, promised: int = 0) -> None:
        self._cache = cache
        self._pool = pool
        self._promised = promised
        self._nodes: list[TreeNode] = []

    def admit(self, match: MatchResult, pages: int) -> bool:
        """Take a sequence in that needs `pages` and will hold the path of `match`; False when it does not fit."""
        self._cache.inc_lock_ref(match.node)
        room = self._pool.free_pages + self._cache.evictable_size // self._pool.page_size - self._promised
        if pages > room:
            self._cache.dec_lock_ref(match.node)
            return False
        self._promised += pages
        self._nodes.append(match.node)
        return True

    def close(self) -> None:
        """Hold nothing any more: the batch is chosen."""
        for node in self._nodes:
            self._cache.dec_lock_ref(node)
        self._nodes = []


class Scheduler:
    """Tries the waiting sequences in the order of a policy; at most `max_running` run at once.

    `order` makes that order out of the queue (default: first come, first served). A retracted sequence goes to the head
    of the queue.
    """

    def __init__(self, *, max_running: int = 64, order: Callable[[Iterable[Sequence]], list[Sequence]] = list) -> None:
        self._max_running = max_running
        self._order = order
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []

    @property
    def has_work(self) -> bool:
        """Whether somebody waits or runs."""
        return bool(self.waiting or self.running)

    @property
    def prefilling(self) -> list[Sequence]:
        """Those of the running ones whose prefill is not at its end."""
        return [sequence for sequence in self.running if sequence.prefilling]

    @property
    def decoding(self) -> list[Sequence]:
        """Those of the running ones that get a token at each step."""
        return [sequence for sequence in self.running if not sequence.prefilling]

    def candidates(self) -> list[Sequence]:
        """Return the waiting sequences that may be taken into the next batch, in the order to try them."""
        room = self._max_running - len(self.running)
        chosen = list[Sequence]()
        if room <= 0 and self.running:
            return chosen
        for sequence in self._order(self.waiting):
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
