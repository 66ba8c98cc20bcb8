"""PrefixUse: what a sequence takes out of the prefix cache, holds of it, and puts in."""

from __future__ import annotations

from array import array

from radixviz.cache.key import RadixKey
from radixviz.cache.page_pool import PagePool
from radixviz.cache.prefix_cache import MatchResult, PrefixCache
from radixviz.engine.request import Sequence
from radixviz.engine.slot_allocator import SlotAllocator
from radixviz.events import Emit, FreeReason, NodesLocked, NodesUnlocked, RequestMatched, SequenceCached


class PrefixUse:
    """The cache as a sequence sees it (SGLang: cache_unfinished_req, cache_finished_req and what is around them)."""

    def __init__(
        self, cache: PrefixCache, pool: PagePool, allocator: SlotAllocator, emit: Emit, *, turn_as_one_edge: bool
    ) -> None:
        self._cache = cache
        self._pool = pool
        self._allocator = allocator
        self._emit = emit
        self._turn_as_one_edge = turn_as_one_edge

    def look_up(self, sequence: Sequence, *, to_the_end: bool | None = None) -> MatchResult:
        """Match the sequence's tokens: all of them, or all but the last one (SGLang's way)."""
        whole = self._turn_as_one_edge if to_the_end is None else to_the_end
        tokens = array("q", sequence.token_ids if whole else sequence.token_ids[:-1])
        return self._cache.match_prefix(RadixKey.of(tokens, sequence.request.namespace))

    def reusable(self, sequence: Sequence, match: MatchResult) -> int:
        """Return how many tokens are reused: not the last one, whose logits are wanted and are not cached."""
        most = len(sequence.token_ids) - 1
        return min(match.prefix_len, most - most % self._pool.page_size)

    def pages_needed(self, sequence: Sequence, has_tokens: int, *, copies: bool = True) -> int:
        """Return how many pages the prefill takes beyond those of the first `has_tokens`, whole pages.

        With `copies` the copies of a partly filled last page are counted that other samples will need.
        """
        own = self._pool.pages_for(len(sequence.token_ids)) - has_tokens // self._pool.page_size
        return own + (sequence.forks if copies and len(sequence.token_ids) % self._pool.page_size else 0)

    def take(self, sequence: Sequence, match: MatchResult) -> None:
        """Let the sequence read the matched slots. What it reuses is noted once, not again after a retraction."""
        reused = self.reusable(sequence, match)
        sequence.slots = match.slots[:reused].tolist()
        sequence.tree_len = sequence.computed_len = reused
        sequence.prefilling = True
        resumed = sequence.matched
        if not resumed:
            sequence.prefix_len, sequence.cached_tokens, sequence.matched = match.prefix_len, reused, True
        path = match.node.path_ids()
        self._emit(RequestMatched(sequence.sequence_id, match.prefix_len, reused, path, resumed))

    def hold(self, sequence: Sequence, match: MatchResult) -> None:
        """Hold the matched node; the one held before is let go after that, so that nothing in use is ever free."""
        before, sequence.node = sequence.node, match.node
        self._cache.inc_lock_ref(match.node)
        if before is not None:
            self._cache.dec_lock_ref(before)
        if match.node is not before:
            self._emit(NodesLocked(sequence.sequence_id, match.node.path_ids()))

    def share(self, first: Sequence, fork: Sequence) -> None:
        """Let a sample read and hold what the first one has of the tree."""
        fork.prefix_len, fork.cached_tokens, fork.matched = first.prefix_len, first.cached_tokens, True
        fork.slots = first.slots[: first.tree_len]
        fork.tree_len = fork.computed_len = first.tree_len
        fork.node, fork.counted_len = first.node, first.counted_len
        if fork.node is not None:
            self._cache.inc_lock_ref(fork.node)
            self._emit(NodesLocked(fork.sequence_id, fork.node.path_ids()))

    def store(self, sequence: Sequence, length: int, *, finished: bool) -> None:
        """Put the first `length` tokens, in whole pages, into the tree, and hold the node where they end.

        slots  [0 .. tree_len)        the tree's already
               [tree_len .. there)    duplicates of what somebody else put in first: freed
               [there .. aligned)     the tree's from now on
               [aligned .. )          its own: a page that is not full
        """
        aligned = length - length % self._pool.page_size
        key = RadixKey.of(array("q", sequence.token_ids[:aligned]), sequence.request.namespace)
        there = self._cache.insert(
            key,
            sequence.slots[:aligned],
            priority=sequence.request.priority,
            inserted_len=sequence.counted_len,
            grow=sequence.own_leaf if self._turn_as_one_edge else None,
        )
        self._allocator.release(sequence, sequence.tree_len, there, "duplicate")
        match = self._cache.match_prefix(key)
        if there < match.prefix_len and not finished:
            sequence.own_leaf = match.node
        self._adopt(sequence, match)
        node_id = match.node.node_id if match.prefix_len else None
        self._emit(SequenceCached(sequence.sequence_id, node_id, match.prefix_len, there, finished))

    def _adopt(self, sequence: Sequence, match: MatchResult) -> None:
        sequence.slots[: match.prefix_len] = match.slots.tolist()
        sequence.tree_len = max(sequence.tree_len, match.prefix_len)
        sequence.counted_len = max(sequence.counted_len, match.prefix_len)
        self.hold(sequence, match)

    def let_go(self, sequence: Sequence) -> None:
        """Hold nothing of the tree any more."""
        if sequence.node is not None:
            path = sequence.node.path_ids()
            self._cache.dec_lock_ref(sequence.node)
            sequence.node, sequence.own_leaf = None, None
            self._emit(NodesUnlocked(sequence.sequence_id, path))

    def give_back(self, sequence: Sequence, reason: FreeReason) -> None:
        """Free what is the sequence's own and hold nothing: it has no slot any more."""
        self._allocator.release(sequence, sequence.tree_len, len(sequence.slots), reason)
        self.let_go(sequence)
        sequence.slots, sequence.tree_len, sequence.computed_len, sequence.prefilling = [], 0, 0, False
