"""An engine for tests: no model, a runner that checks what it reads, and every event kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.batching import Batching
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request, Sequence
from radixviz.engine.schedule import SchedulePolicy
from radixviz.events import NO_NAMESPACE, Event, Namespace, NodeEvicted, PagesFreed
from tests.engine.kv_watch import KVWatch
from tests.tree_text import tree_text

Kind = TypeVar("Kind")
Cache = Callable[..., RadixCache]


def say(sequence_id: str, number: int) -> int:
    """Reply 900, 901, ... to everything: tokens that no prompt has."""
    return 900 + number


class Serving:
    """Makes the parts and holds them; `pool_pages` pages of `page_size` tokens."""

    def __init__(
        self,
        pool_pages: int = 64,
        page_size: int = 1,
        *,
        turn_as_one_edge: bool = True,
        batching: Batching | None = None,
        reply: Callable[[str, int], int] = say,
        max_positions: int = 1 << 30,
        make_cache: Cache = RadixCache,
        disabled: bool = False,
        schedule: SchedulePolicy | None = None,
    ) -> None:
        self.events: list[Event] = []
        self.cache = make_cache(page_size, disabled=disabled, emit=self.events.append)
        self.pool = PagePool(pool_pages, page_size)
        self.runner = KVWatch(reply, max_positions=max_positions)
        self.engine = Engine(
            self.cache,
            self.pool,
            self.runner,
            turn_as_one_edge=turn_as_one_edge,
            batching=batching,
            schedule=schedule,
            emit=self.events.append,
            now=self.runner.now,
        )
        self.runner.engine = self.engine

    def submit(
        self,
        request_id: str,
        prompt_ids: Iterable[int],
        max_new_tokens: int,
        *,
        stops: tuple[int, ...] = (),
        samples: int = 1,
        namespace: Namespace = NO_NAMESPACE,
        priority: int = 0,
    ) -> None:
        """Put a request in the queue."""
        prompt = tuple(prompt_ids)
        self.engine.submit(
            Request(request_id, prompt, max_new_tokens, stops, samples, namespace=namespace, priority=priority)
        )

    def run(self, request_id: str, prompt_ids: Iterable[int], max_new_tokens: int, *, samples: int = 1) -> Sequence:
        """Serve one request to its end; every law holds at each step. Return its first sequence."""
        self.submit(request_id, prompt_ids, max_new_tokens, samples=samples)
        self.run_until_idle()
        return self[request_id if samples == 1 else f"{request_id}#1"]

    def step(self, steps: int = 1) -> None:
        """Step, and check every law after each step."""
        for _ in range(steps):
            self.engine.step()
            self.engine.check_integrity()

    def run_until_idle(self) -> None:
        """Step until nothing waits or runs."""
        while self.engine.has_work:
            self.step()

    def __getitem__(self, sequence_id: str) -> Sequence:
        return self.engine.sequences[sequence_id]

    def tree(self, *fields: str) -> str:
        """Return the whole tree in one line."""
        return tree_text(self.engine.tree(), *fields)

    def pages(self) -> str:
        """Return the state of every page by its first letter, in the order of their numbers."""
        return "".join(page.state[0] for page in self.engine.page_map().pages)

    def told(self, kind: type[Kind]) -> list[Kind]:
        """Return the events of this type, and forget all events."""
        found: list[Kind] = [event for event in self.events if isinstance(event, kind)]
        self.events.clear()
        return found

    def freed(self) -> list[tuple[str, int, str]]:
        """Return who gave pages back, how many and why, and forget all events."""
        return [(event.sequence_id, len(event.pages), event.reason) for event in self.told(PagesFreed)]

    def evicted(self) -> list[tuple[int, ...]]:
        """Return the tokens of the evicted nodes in order, and forget all events."""
        return [event.token_ids for event in self.told(NodeEvicted)]
