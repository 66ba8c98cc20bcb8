"""Running totals of a run, as folds over events."""

from __future__ import annotations

from dataclasses import dataclass, replace

from radixviz.engine.prefix_history import PrefixHistory
from radixviz.events import Event, Namespace, NodeEvicted, RequestArrived, RequestMatched, TokenSampled, TokensComputed


@dataclass(frozen=True, slots=True)
class Metrics:
    """Totals from the start up to a moment. A group of samples counts once.

    `prompt_tokens` = `cached_tokens` + what prefill computed or will compute. What is computed again after a
    retraction is in none of them: it is neither asked for nor a hit.
    """

    requests: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    computed_tokens: int = 0
    again_tokens: int = 0
    """Of the computed ones: computed before, evicted, and wanted again."""
    generated_tokens: int = 0
    evicted_tokens: int = 0

    @property
    def hit_rate(self) -> float:
        """Return cached / prompt tokens, 0 when nothing was asked yet."""
        return self.cached_tokens / self.prompt_tokens if self.prompt_tokens else 0.0


class MetricsFold:
    """Takes events in and keeps the totals; also, for each sequence, which of its prompt tokens are computed again."""

    def __init__(self) -> None:
        self.history = PrefixHistory()
        self.totals = Metrics()
        self.again: dict[str, tuple[bool, ...]] = {}
        """By sequence id, fixed when it is matched: the beginnings of its prompt that were evicted earlier."""
        self._prompts: dict[str, tuple[Namespace, tuple[int, ...]]] = {}
        self._resumed: set[str] = set()

    def note(self, event: Event) -> None:
        """Take one event in."""
        self.history.note(event)
        totals = self.totals
        match event:
            case RequestArrived():
                for sequence_id in event.sequence_ids:
                    self._prompts[sequence_id] = (event.namespace, event.prompt_ids)
                self.totals = replace(totals, requests=totals.requests + 1)
            case RequestMatched(resumed=True):
                self._resumed.add(event.sequence_id)
            case RequestMatched():
                self._matched(event)
            case TokensComputed() if event.sequence_id not in self._resumed:
                again = sum(self.again[event.sequence_id][event.start : event.end])
                self.totals = replace(
                    totals,
                    computed_tokens=totals.computed_tokens + event.end - event.start,
                    again_tokens=totals.again_tokens + again,
                )
            case TokenSampled():
                self.totals = replace(totals, generated_tokens=totals.generated_tokens + 1)
            case NodeEvicted():
                self.totals = replace(totals, evicted_tokens=totals.evicted_tokens + len(event.token_ids))
            case _:
                pass

    def _matched(self, event: RequestMatched) -> None:
        namespace, prompt = self._prompts[event.sequence_id]
        self.again[event.sequence_id] = self.history.evicted_before(namespace, prompt)
        self.totals = replace(
            self.totals,
            prompt_tokens=self.totals.prompt_tokens + len(prompt),
            cached_tokens=self.totals.cached_tokens + event.cached_tokens,
        )
