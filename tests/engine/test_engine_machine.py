"""Engine against a list of what the tree's events say is stored, under random requests."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from radixviz.cache.block_cache import BlockCache
from radixviz.cache.eviction import eviction_policies
from radixviz.cache.no_cache import NoCache
from radixviz.cache.page_pool import PagePool
from radixviz.cache.prefix_cache import PrefixCache
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.batching import Batching
from radixviz.engine.engine import Engine
from radixviz.engine.metrics import MetricsFold
from radixviz.engine.request import Request
from radixviz.engine.schedule import SCHEDULE_POLICIES, schedule_policy
from radixviz.errors import RequestTooLarge, ResetRefused
from radixviz.events import (
    NO_NAMESPACE,
    Emit,
    Event,
    Namespace,
    PagesFreed,
    PhaseClosed,
    RequestMatched,
    SequenceCancelled,
    TokenSampled,
    TokensComputed,
)
from tests.engine.kv_watch import KVWatch
from tests.engine.stored_sequences import StoredSequences, common_prefix

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
CACHES = ("lru", "lru", *eviction_policies(), "blocks", "blocks", "none")


def make_cache(kind: str, page_size: int, emit: Emit) -> PrefixCache:
    """Return a cache of one of these kinds: a radix tree with this policy, or another one."""
    if kind == "blocks":
        return BlockCache(page_size, emit=emit)
    return NoCache(page_size) if kind == "none" else RadixCache(page_size, kind, emit=emit)


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


class EngineMachine(RuleBasedStateMachine):
    """Checks every look-up when it is told, the laws at every phase, and the replies and the pool at the end."""

    @initialize(
        page_size=st.sampled_from([1, 2, 4]),
        pool_tokens=st.sampled_from([16, 24, 48]),
        cache=st.sampled_from(CACHES),
        turn_as_one_edge=st.booleans(),
        batching=BATCHINGS,
        schedule=st.sampled_from(SCHEDULE_POLICIES),
    )
    def make(
        self,
        page_size: int,
        pool_tokens: int,
        cache: str,
        turn_as_one_edge: bool,
        batching: Batching,
        schedule: str,
    ) -> None:
        """Start an engine with a small pool."""
        self.page_size, self.pool = page_size, PagePool(pool_tokens // page_size, page_size)
        self.stored, self.fold = StoredSequences(), MetricsFold()
        self.salts, self.cancelled = dict[str, int](), set[str]()
        self.computed = set[tuple[Namespace, tuple[int, ...]]]()
        runner = KVWatch(self.reply)
        self.engine = Engine(
            make_cache(cache, page_size, self.take),
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
            case TokensComputed() | TokenSampled():
                self.note_computed(event)
            case PhaseClosed() | PagesFreed(reason="evicted"):
                self.check_laws()
            case SequenceCancelled():
                self.cancelled.add(event.sequence_id)
            case _:
                pass

    def note_computed(self, event: TokensComputed | TokenSampled) -> None:
        """Keep each beginning that was ever computed; a token that was just sampled is not."""
        sequence = self.engine.sequences[event.sequence_id]
        end = event.end if isinstance(event, TokensComputed) else len(sequence.token_ids) - 1
        beginnings = (tuple(sequence.token_ids[:length]) for length in range(1, end + 1))
        self.computed.update((sequence.request.namespace, beginning) for beginning in beginnings)

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
            self.check_reasons(event, tokens, namespace, longest)

    def check_reasons(
        self, event: RequestMatched, tokens: tuple[int, ...], namespace: Namespace, longest_in_pages: int
    ) -> None:
        """Compare with what is stored now, here and elsewhere, and with all that was ever computed."""
        stored = self.stored.sequences()
        here, elsewhere = (
            max((common_prefix(tokens, other) for space, other in stored if (space == namespace) is same), default=0)
            for same in (True, False)
        )
        assert here >= longest_in_pages
        reasons = self.fold.misses.reasons[event.sequence_id]
        assert len(reasons) == len(tokens) - event.cached_tokens
        for length, reason in enumerate(reasons, event.cached_tokens + 1):
            if length <= here:
                assert reason == ("last_token" if length == len(tokens) else "page_rounding")
            elif (namespace, tokens[:length]) in self.computed:
                assert reason in {"evicted", "in_flight", "page_rounding"}
            else:
                new = "other_namespace" if length <= elsewhere else "new"
                assert {"never_seen": "new", "diverged": "new"}.get(reason, reason) in {new, "in_flight"}

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
