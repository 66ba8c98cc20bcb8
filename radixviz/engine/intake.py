"""Intake: takes waiting sequences in, as many as fit (match), and holds what they reuse (lock)."""

from __future__ import annotations

from collections.abc import Iterable

from radixviz.cache.page_pool import PagePool
from radixviz.cache.prefix_cache import MatchResult, PrefixCache
from radixviz.engine.batching import Batching, StepBudget
from radixviz.engine.prefix_use import PrefixUse
from radixviz.engine.request import Sequence
from radixviz.engine.scheduler import Admission, Scheduler
from radixviz.engine.twins import PrefillsUnderWay
from radixviz.events import Emit, PhaseClosed

Ends = dict[Sequence, int]
"""For each sequence of a batch: its prefill goes to here in this step."""


class Intake:
    """Tries the waiting sequences in the scheduler's order; the first that does not fit ends the batch.

    After a try that took nobody in the engine is full, and nobody is tried until a sequence leaves (SGLang:
    batch_is_full): what they need can become free only then.
    """

    def __init__(
        self,
        cache: PrefixCache,
        pool: PagePool,
        prefix: PrefixUse,
        scheduler: Scheduler,
        batching: Batching,
        emit: Emit,
    ) -> None:
        self._cache = cache
        self._pool = pool
        self._prefix = prefix
        self._scheduler = scheduler
        self._twin_tokens = batching.twin_tokens
        self._emit = emit
        self._is_full = False

    def reopen(self) -> None:
        """Try again: a sequence has left."""
        self._is_full = False

    def candidates(self) -> list[Sequence]:
        """Return who may be tried now, in order; nobody while there is surely no room for the first."""
        if self._is_full or not self._has_room():
            return []
        candidates = self._scheduler.candidates()
        return candidates if candidates and self._may_fit(candidates[0]) else []

    def take_in(self, candidates: list[Sequence], budget: StepBudget) -> Ends:
        """Look these up and choose those that fit; they run from now on, and hold what they reuse."""
        matches = dict[Sequence, MatchResult]()
        ends = self._admit(candidates, budget, matches)
        self._is_full = not self._scheduler.prefilling and not matches
        for sequence, match in matches.items():
            self._prefix.take(sequence, match)
        if matches:
            self._emit(PhaseClosed("match", _ids(matches)))
            self._lock(matches)
        return ends

    def _has_room(self) -> bool:
        return not self._scheduler.running or self._pool.free_pages > 0 or self._cache.evictable_size > 0

    def _may_fit(self, sequence: Sequence) -> bool:
        """Return whether there is any room: else every step would look the same request up again."""
        if not self._scheduler.running:
            return True
        room = self._pool.free_pages + self._cache.evictable_size // self._pool.page_size
        if sequence.matched:  # it was sent back once: let it in only when it can end
            left = sequence.request.limit(sequence.sample) - len(sequence.output_ids)
            return room >= self._pool.pages_for(len(sequence.token_ids) + left)
        return room > 0

    def _admit(self, candidates: list[Sequence], budget: StepBudget, matches: dict[Sequence, MatchResult]) -> Ends:
        """Fill `matches` with those that fit; return how far each is computed in this step."""
        ends, prefilling = Ends(), self._scheduler.prefilling
        owed = sum(self._prefix.pages_needed(sequence, len(sequence.slots)) for sequence in prefilling)
        admission = Admission(self._cache, self._pool, promised=owed)
        under_way = PrefillsUnderWay(prefilling) if self._twin_tokens else None
        for sequence in candidates:
            if budget.is_spent:
                break
            match = self._prefix.look_up(sequence)
            if under_way and self._waits_for_twin(sequence, match, under_way):
                continue
            fits = admission.admit(match, self._prefix.pages_needed(sequence, self._prefix.reusable(sequence, match)))
            if not fits and not matches and not self._scheduler.running:
                # Alone: it holds no page that it cannot reuse, and samples that get no copy of the tail come later.
                match = self._prefix.look_up(sequence, to_the_end=False)
                own = self._prefix.pages_needed(sequence, self._prefix.reusable(sequence, match), copies=False)
                fits = admission.admit(match, own)
            if not fits:
                break
            matches[sequence] = match
            ends[sequence] = budget.cut(self._prefix.reusable(sequence, match), len(sequence.token_ids))
            if under_way:
                under_way.add(sequence)
        admission.close()
        return ends

    def _waits_for_twin(self, sequence: Sequence, match: MatchResult, under_way: PrefillsUnderWay) -> bool:
        assert self._twin_tokens is not None
        more = under_way.shared_len(sequence) - self._prefix.reusable(sequence, match)
        return more >= self._twin_tokens

    def _lock(self, matches: dict[Sequence, MatchResult]) -> None:
        for sequence, match in matches.items():
            self._prefix.hold(sequence, match)
        self._scheduler.start(matches)
        self._emit(PhaseClosed("lock", _ids(matches)))


def _ids(sequences: Iterable[Sequence]) -> tuple[str, ...]:
    return tuple(sequence.sequence_id for sequence in sequences)
