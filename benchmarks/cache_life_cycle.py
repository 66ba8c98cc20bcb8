"""What an engine does with a prefix cache, 16 requests in flight at a time; only the cache's own work is timed.

match the prompt without its last token, lock, evict while room is short, allocate; when 16 others have come: insert
prompt and reply without the last token, give duplicates and the tail back, unlock.
"""

from __future__ import annotations

import statistics
import time
from array import array
from collections import Counter, deque
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from benchmarks.cache_workload import Exchange

IN_FLIGHT = 16
OPERATIONS = ("match", "lock", "evict", "insert", "unlock")


class Core(Protocol):
    """A cache with its pool. `match`, `lock`, `evict`, `insert` and `unlock` are timed, the rest is not.

    What a key, slots and a lock are is the core's own affair.
    """

    page_size: int

    def key(self, tokens: array[int]) -> Any:
        """Return the tokens as the cache takes them."""
        ...

    def match(self, key: Any) -> tuple[int, Any, Any]:
        """Return the number of tokens found, their slots, and what to lock."""
        ...

    def lock(self, found: Any) -> Any:
        """Hold what was found; return what `unlock` takes."""
        ...

    def evict(self, tokens: int) -> Any:
        """Evict at least as many tokens; return what was freed."""
        ...

    def insert(self, key: Any, slots: Any, hit: int) -> int:
        """Put the key in; return how many tokens of it were there already."""
        ...

    def unlock(self, lock: Any) -> None:
        """Let go."""
        ...

    def room(self) -> int:
        """Return how many tokens the pool has free."""
        ...

    def allocate(self, tokens: int, found: Any) -> Any:
        """Return the found slots and `tokens` new ones behind them."""
        ...

    def cut(self, slots: Any, end: int) -> Any:
        """Return the first `end` slots as `insert` takes them."""
        ...

    def give_back(self, freed: Any) -> None:
        """Free what `evict` returned."""
        ...

    def settle(self, slots: Any, hit: int, there: int, end: int) -> None:
        """Free the duplicates [hit, there) and the tail from `end` on."""
        ...


class Outcome(NamedTuple):
    """Sums over a run: nanoseconds of each operation, and tokens."""

    nanoseconds: Counter[str]
    requests: int
    prompt_tokens: int
    hit_tokens: int

    @property
    def requests_per_second(self) -> float:
        """Requests for each second that the cache worked."""
        return self.requests / (self.nanoseconds.total() / 1e9)


class Running(NamedTuple):
    """A request that has its slots."""

    exchange: Exchange
    slots: Any
    hit: int
    lock: Any


class LifeCycle:
    """Drives one core; times are those of the thread's CPU clock, without what asking the clock costs."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._asking = _cost_of_asking()
        self._running = deque[Running]()
        self._nanoseconds = Counter[str]()

    def run(self, exchanges: Iterable[Exchange]) -> Outcome:
        """Serve all; the last of them are finished too."""
        requests = prompt_tokens = hit_tokens = 0
        for exchange in exchanges:
            hit_tokens += self._start(exchange)
            prompt_tokens += len(exchange.prompt)
            requests += 1
            if len(self._running) > IN_FLIGHT:
                self._finish()
        while self._running:
            self._finish()
        return Outcome(self._nanoseconds, requests, prompt_tokens, hit_tokens)

    def _start(self, exchange: Exchange) -> int:
        core, clock = self._core, time.thread_time_ns
        key = core.key(exchange.prompt[:-1])
        begun = clock()
        hit, found, node = core.match(key)
        self._count("match", clock() - begun)
        begun = clock()
        lock = core.lock(node)
        self._count("lock", clock() - begun)
        need = len(exchange.prompt) + len(exchange.reply) - hit
        need += -need % core.page_size
        while (short := need - core.room()) > 0:
            begun = clock()
            freed = core.evict(short)
            self._count("evict", clock() - begun)
            core.give_back(freed)
            if need > core.room():
                self._finish()
        self._running.append(Running(exchange, core.allocate(need, found), hit, lock))
        return hit

    def _finish(self) -> None:
        core, clock = self._core, time.thread_time_ns
        exchange, slots, hit, lock = self._running.popleft()
        tokens = exchange.prompt + exchange.reply[:-1]
        end = len(tokens) - len(tokens) % core.page_size
        key, kept = core.key(tokens[:end]), core.cut(slots, end)
        begun = clock()
        there = core.insert(key, kept, hit)
        self._count("insert", clock() - begun)
        core.settle(slots, hit, there, end)
        begun = clock()
        core.unlock(lock)
        self._count("unlock", clock() - begun)

    def _count(self, operation: str, nanoseconds: int) -> None:
        self._nanoseconds[operation] += nanoseconds - self._asking


def _cost_of_asking() -> int:
    """Return the nanoseconds between two readings of the clock with nothing between them."""
    clock = time.thread_time_ns
    return int(statistics.median(-(clock() - clock()) for _ in range(1001)))
