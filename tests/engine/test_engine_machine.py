"""Engine against a list of what the tree's events say is stored, under random requests."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from radixviz.cache.eviction import eviction_policies
from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.batching import Batching
from radixviz.engine.engine import Engine
from radixviz.engine.metrics import MetricsFold
from radixviz.engine.request import Request
from radixviz.engine.schedule import SCHEDULE_POLICIES, schedule_policy
from radixviz.errors import RequestTooLarge, ResetRefused
from radixviz.events import (
    NO_NAMESPACE,
    CacheReset,
    Event,
    Namespace,
    NodeAdded,
    NodeEvicted,
    NodeGrown,
    NodeSplit,
    PagesFreed,
    PhaseClosed,
    RequestMatched,
    SequenceCancelled,
)
from tests.engine.kv_watch import KVWatch

PROMPTS = st.lists(st.integers(0, 1), min_size=1, max_size=12).map(tuple)
NAMESPACES = st.sampled_from(
    [
        *[NO_NAMESPACE] * 6,
        ("model", None, None, None),
        (None, "adapter", None, None),
        (None, None, "salt", None),
        (None, None, None, ""),
    ]
)
STOPS = st.sampled_from([(), (), (1,)])
CACHES = st.sampled_from([{}, {}, *({"policy": name} for name in eviction_policies()), {"disabled": True}])
BATCHINGS = st.sampled_from(
    [
        Batching(),
        Batching(max_running=1),
        Batching(max_running=3, twin_tokens=2),
        Batching(prefill_chunk=3),
        Batching(tokens_per_step=2),
        Batching(tokens_per_step=5, twin_tokens=1),
        Batching(max_running=4, tokens_per_step=7, prefill_chunk=4),
    ]
)


class StoredSequences:
    """Follows the events of the tree to the token sequences that its nodes end."""

    def __init__(self) -> None:
        self.nodes: dict[int, tuple[int | None, tuple[int, ...], Namespace]] = {}

    def note(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case NodeAdded(node_id, parent_id, tokens, _, namespace):
                self.nodes[node_id] = (parent_id, tokens, namespace)
            case NodeGrown(node_id, tokens):
                parent_id, before, namespace = self.nodes[node_id]
                self.nodes[node_id] = (parent_id, before + tokens, namespace)
            case NodeSplit(node_id, upper_id, length):
                parent_id, tokens, namespace = self.nodes[node_id]
                self.nodes[upper_id] = (parent_id, tokens[:length], namespace)
                self.nodes[node_id] = (upper_id, tokens[length:], namespace)
            case NodeEvicted(node_id, parent_id, tokens):
                assert self.nodes.pop(node_id)[:2] == (parent_id, tokens)
                assert all(above != node_id for above, _, _ in self.nodes.values())
            case CacheReset():
                self.nodes.clear()
            case _:
                pass

    def sequences(self) -> list[tuple[Namespace, tuple[int, ...]]]:
        """Return the whole sequence of every node, from the root down to it."""
        return [(namespace, self._whole(node_id)) for node_id, (_, _, namespace) in self.nodes.items()]

    def _whole(self, node_id: int) -> tuple[int, ...]:
        tokens: tuple[int, ...] = ()
        above: int | None = node_id
        while above is not None:
            above, edge, _ = self.nodes[above]
            tokens = edge + tokens
        return tokens


def common_prefix(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    """Return how many leading tokens are equal."""
    return next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


class EngineMachine(RuleBasedStateMachine):
    """Checks every look-up when it is told, the laws at every phase, and the replies and the pool at the end."""

    @initialize(
        page_size=st.sampled_from([1, 2, 4]),
        pool_tokens=st.sampled_from([16, 24, 48]),
        cache=CACHES,
        turn_as_one_edge=st.booleans(),
        batching=BATCHINGS,
        schedule=st.sampled_from(SCHEDULE_POLICIES),
    )
    def make(
        self,
        page_size: int,
        pool_tokens: int,
        cache: dict[str, Any],
        turn_as_one_edge: bool,
        batching: Batching,
        schedule: str,
    ) -> None:
        """Start an engine with a small pool."""
        self.page_size, self.pool = page_size, PagePool(pool_tokens // page_size, page_size)
        self.stored, self.fold = StoredSequences(), MetricsFold()
        self.salts, self.cancelled = dict[str, int](), set[str]()
        runner = KVWatch(self.reply)
        self.engine = Engine(
            RadixCache(page_size, emit=self.take, **cache),
            self.pool,
            runner,
            turn_as_one_edge=turn_as_one_edge,
            batching=batching,
            schedule=schedule_policy(schedule, random=Random(0)),
            emit=self.take,
        )
        runner.engine = self.engine

    def reply(self, sequence_id: str, number: int) -> int:
        """Return a token of 0 and 1 that looks drawn, the same at each run."""
        request_id, _, sample = sequence_id.partition("#")
        return self.salts[request_id] * (int(sample or 1) + number) // 3 % 2

    def take(self, event: Event) -> None:
        """Take an event; a look-up must be right at this very moment, and a closed phase consistent."""
        self.stored.note(event)
        self.fold.note(event)
        match event:
            case RequestMatched():
                self.check_match(event)
            case PhaseClosed() | PagesFreed(reason="evicted"):
                self.check_laws()
            case SequenceCancelled():
                self.cancelled.add(event.sequence_id)
            case _:
                pass

    def check_match(self, event: RequestMatched) -> None:
        """Compare with the longest common prefix over all that is stored."""
        sequence, size = self.engine.sequences[event.sequence_id], self.page_size
        tokens, namespace = tuple(sequence.token_ids), sequence.request.namespace
        stored = [other for stored_in, other in self.stored.sequences() if stored_in == namespace]
        longest = max((common_prefix(tokens, other) for other in stored), default=0) // size * size
        most = (len(tokens) - 1) // size * size
        assert event.cached_tokens == min(longest, most)
        assert event.prefix_len in {longest, min(longest, most)}
        if not event.resumed:
            assert (sequence.prefix_len, sequence.cached_tokens) == (event.prefix_len, event.cached_tokens)

    def check_laws(self) -> None:
        """Every law of tree, pool and locks holds, and the totals are those of the sequences and of the tree."""
        self.engine.check_integrity()
        totals, nodes = self.fold.totals, self.engine.tree().nodes
        assert totals.misses.total + totals.cached_tokens == totals.prompt_tokens
        assert totals.shared_tokens == sum(len(node.token_ids) * max(0, node.lock_ref - 1) for node in nodes)
        assert 0 <= totals.computed_tokens <= totals.prompt_tokens - totals.cached_tokens
        assert 0 <= totals.overshoot_tokens <= totals.evicted_tokens
        first = [each for each in self.engine.sequences.values() if each.matched and each.sample == 1]
        assert totals.cached_tokens == sum(sequence.cached_tokens for sequence in first)
        assert totals.prompt_tokens == sum(sequence.prompt_len for sequence in first)

    @rule(
        prompt=PROMPTS,
        namespace=NAMESPACES,
        samples=st.sampled_from([1, 1, 2, 3]),
        max_new_tokens=st.integers(1, 6),
        stops=STOPS,
        salt=st.integers(0, 999),
    )
    def submit(
        self,
        prompt: tuple[int, ...],
        namespace: Namespace,
        samples: int,
        max_new_tokens: int,
        stops: tuple[int, ...],
        salt: int,
    ) -> None:
        """A request is queued, or refused at once when the pool can never hold it."""
        request_id = f"r{len(self.salts)}"
        self.salts[request_id] = salt
        request = Request(request_id, prompt, max_new_tokens, stops, samples, namespace=namespace)
        try:
            self.engine.submit(request)
        except RequestTooLarge:
            assert self.pool.pages_for(len(prompt) + max_new_tokens - 1) > self.pool.num_pages
            del self.salts[request_id]
            self.salts[f"refused {request_id}"] = 0

    @rule()
    def step(self) -> None:
        """One step keeps every law."""
        self.engine.step()
        self.check_laws()

    @rule(data=st.data())
    def cancel(self, data: Any) -> None:
        """What runs or waits of a request is called off, and what does not is left alone."""
        busy = {self.engine.sequences[name].request.request_id for name in self.engine.waiting + self.engine.running}
        request_id = data.draw(st.sampled_from([*sorted(busy), *list(self.salts)[:1], "nobody"]))
        assert self.engine.cancel(request_id) == (request_id in busy)
        self.check_laws()

    @rule()
    def reset(self) -> None:
        """An idle engine drops its tree and has every page free; a busy one refuses and changes nothing."""
        if self.engine.has_work:
            before = self.engine.tree()
            with pytest.raises(ResetRefused):
                self.engine.reset()
            assert self.engine.tree() == before
        else:
            self.engine.reset()
            assert (self.engine.tree().nodes, self.pool.free_pages) == ((), self.pool.num_pages)
        self.check_laws()

    @precondition(lambda self: self.engine.has_work)
    @rule()
    def run_until_idle(self) -> None:
        """With nothing left to do, everybody has the whole reply and every page is free or in the tree."""
        self.engine.run()
        self.check_laws()
        tree = self.engine.tree()
        assert self.pool.free_pages + tree.evictable_size // self.page_size == self.pool.num_pages
        assert tree.protected_size == 0
        for sequence in self.engine.sequences.values():
            request, replies = sequence.request, list[int]()
            while len(replies) < request.max_new_tokens and not set(replies[-1:]) & set(request.stop_token_ids):
                replies.append(self.reply(sequence.sequence_id, len(replies)))
            if sequence.sequence_id in self.cancelled:
                replies = replies[: len(sequence.output_ids)]
            assert sequence.output_ids == tuple(replies)

    def teardown(self) -> None:
        """Every run comes to its end."""
        if hasattr(self, "engine") and self.engine.has_work:
            self.run_until_idle()


def drawn(examples: int, steps: int) -> settings:
    """Return the settings of a run that is the same each time."""
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
    )


class LongerEngineMachine(EngineMachine):
    """The same, for more and longer runs."""


TestEngineMachine = EngineMachine.TestCase
TestEngineMachine.settings = drawn(30, 20)
TestLongerEngineMachine = pytest.mark.deep(LongerEngineMachine.TestCase)
TestLongerEngineMachine.settings = drawn(400, 50)
