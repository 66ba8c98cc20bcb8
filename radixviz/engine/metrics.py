"""Running totals of a run, as folds over events."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from radixviz.engine.misses import Misses, MissFold
from radixviz.engine.prefix_history import PrefixHistory
from radixviz.engine.sharing import SharingFold
from radixviz.events import (
    Event,
    NodeEvicted,
    PagesFreed,
    PageShort,
    RequestArrived,
    RequestMatched,
    SequenceRetracted,
    TokenSampled,
    TokensComputed,
)


@dataclass(frozen=True, slots=True)
class Metrics:
    """Totals from the start up to a moment. A group of samples counts once.

    `prompt_tokens` = `cached_tokens` + `misses.total`, and what missed prefill computes. What is reused or computed
    again after a retraction is in none of them: it is neither asked for nor a hit.
    """

    requests: int = 0
    prompt_tokens: int = 0
    """Of the requests that were looked up, not of those that still wait."""
    cached_tokens: int = 0
    computed_tokens: int = 0
    again_tokens: int = 0
    """Of the computed ones: computed before, evicted, and wanted again."""
    generated_tokens: int = 0
    evicted_tokens: int = 0
    looked_up: int = 0
    """Requests that were looked up."""
    hits: int = 0
    """Of those: the ones that reuse a token or more."""
    evictions: int = 0
    """Nodes evicted."""
    overshoot_tokens: int = 0
    """Of the evicted ones: beyond what was short, as whole leaves go."""
    retractions: int = 0
    recomputed_tokens: int = 0
    """Computed by prefill a second time, after a retraction: of prompt and reply."""
    shared_tokens: int = 0
    """Slots that are saved now: tokens of the tree that running sequences hold, beyond the first holder of each."""
    most_shared_tokens: int = 0
    """The highest that `shared_tokens` has been."""
    misses: Misses = field(default_factory=Misses)

    @property
    def hit_rate(self) -> float:
        """Return cached / prompt tokens, 0 when nothing was asked yet."""
        return self.cached_tokens / self.prompt_tokens if self.prompt_tokens else 0.0

    @property
    def request_hit_rate(self) -> float:
        """Return the share of the requests looked up that reuse a token or more, 0 when none was."""
        return self.hits / self.looked_up if self.looked_up else 0.0

    def saved_bytes(self, kv_bytes_per_token: int) -> int:
        """Return the bytes of K and V that sharing saves at this moment."""
        return self.shared_tokens * kv_bytes_per_token


class MetricsFold:
    """Takes events in and keeps the totals; also, for each sequence, which of its prompt tokens are computed again."""

    def __init__(self) -> None:
        self.history = PrefixHistory()
        self.misses = MissFold(self.history)
        self.totals = Metrics()
        self.again: dict[str, tuple[bool, ...]] = {}
        """By sequence id, fixed when it is matched: the beginnings of its prompt that were evicted earlier."""
        self.cached: dict[str, int] = {}
        """By request id: the prompt tokens that it reused."""
        self._sharing = SharingFold()
        self._arrivals: dict[str, RequestArrived] = {}
        self._computed: dict[str, int] = {}
        self._short_pages = 0
        self._leaf_tokens = 0

    def note(self, event: Event) -> None:
        """Take one event in."""
        self.history.note(event)
        self.misses.note(event)
        self._sharing.note(event)
        totals = self.totals
        match event:
            case RequestArrived():
                self._arrivals.update(dict.fromkeys(event.sequence_ids, event))
                self.totals = replace(totals, requests=totals.requests + 1)
            case RequestMatched(resumed=False):
                self._matched(event)
            case TokensComputed():
                self._count_computed(event)
            case TokenSampled():
                self.totals = replace(totals, generated_tokens=totals.generated_tokens + 1)
            case SequenceRetracted():
                self.totals = replace(totals, retractions=totals.retractions + 1)
            case PageShort():
                self._short_pages, self._leaf_tokens = event.short, 0
            case NodeEvicted():
                tokens = len(event.token_ids)
                self._leaf_tokens += tokens
                self.totals = replace(
                    totals, evictions=totals.evictions + 1, evicted_tokens=totals.evicted_tokens + tokens
                )
            case PagesFreed(reason="evicted"):
                self._count_overshoot(len(event.pages))
            case _:
                pass
        self._count_shared()

    def _matched(self, event: RequestMatched) -> None:
        arrival = self._arrivals[event.sequence_id]
        self.again[event.sequence_id] = self.history.evicted_before(arrival.namespace, arrival.prompt_ids)
        self.cached[arrival.request_id] = self._computed[event.sequence_id] = event.cached_tokens
        self.totals = replace(
            self.totals,
            prompt_tokens=self.totals.prompt_tokens + len(arrival.prompt_ids),
            cached_tokens=self.totals.cached_tokens + event.cached_tokens,
            looked_up=self.totals.looked_up + 1,
            hits=self.totals.hits + (event.cached_tokens > 0),
            misses=self.misses.totals,
        )

    def _count_computed(self, event: TokensComputed) -> None:
        """Count each prompt token once; all else that prefill computes comes of a retraction.

        Of a group of samples the first is looked up for all: when another one is computed, it was sent back.
        """
        prompt_len = len(self._arrivals[event.sequence_id].prompt_ids)
        counted = self._computed.get(event.sequence_id, prompt_len)
        end = min(event.end, prompt_len)
        fresh = max(0, end - max(event.start, counted))
        self._computed[event.sequence_id] = max(counted, end)
        again = sum(self.again[event.sequence_id][end - fresh : end]) if fresh else 0
        self.totals = replace(
            self.totals,
            computed_tokens=self.totals.computed_tokens + fresh,
            again_tokens=self.totals.again_tokens + again,
            recomputed_tokens=self.totals.recomputed_tokens + event.end - event.start - fresh,
        )

    def _count_overshoot(self, pages: int) -> None:
        spare = max(0, pages - self._short_pages)
        if spare:
            page_size = self._leaf_tokens // pages
            overshoot = self.totals.overshoot_tokens + spare * page_size
            self.totals = replace(self.totals, overshoot_tokens=overshoot)

    def _count_shared(self) -> None:
        now, most = self._sharing.shared_tokens, self._sharing.most_shared_tokens
        if (now, most) != (self.totals.shared_tokens, self.totals.most_shared_tokens):
            self.totals = replace(self.totals, shared_tokens=now, most_shared_tokens=most)
