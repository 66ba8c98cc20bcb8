"""Batching: how much an engine takes on at once, and how a step's share of it is counted."""

from __future__ import annotations

from dataclasses import dataclass, fields

from radixviz.errors import BadTokenCount


@dataclass(frozen=True, slots=True)
class Batching:
    """Limits of a batch; None switches one off. A limit below 1 is a BadTokenCount."""

    max_running: int = 64
    """Sequences that run at once (SGLang: max_running_requests)."""
    tokens_per_step: int | None = None
    """Tokens that a step computes at most, for all sequences together (vLLM: max_num_batched_tokens).

    With it a step serves both kinds: those that decode get their token each, what is left goes to prompts, in chunks
    (SGLang: enable_mixed_chunk). Without it a step is prefill or decode, and prefill comes first.
    """
    prefill_chunk: int | None = None
    """Tokens of one prompt that a step computes at most (SGLang: chunked_prefill_size, there for all together)."""
    twin_tokens: int | None = None
    """A request waits for another's prefill when it would compute so many equal tokens itself (SGLang's in-batch
    prefix caching, which sorts it behind the others and has 32 for this)."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and value < 1:
                raise BadTokenCount(field.name, value)

    @property
    def most_running(self) -> int:
        """Sequences that run at once: each needs a token of the step when it decodes.

        Only the samples of one request may be more, and then a step decodes more than its budget.
        """
        return min(self.max_running, self.tokens_per_step or self.max_running)


class StepBudget:
    """What one step may still compute; it cuts prompts into chunks, at page boundaries where it can."""

    def __init__(self, batching: Batching, page_size: int, *, decoding: int = 0) -> None:
        self._chunk = batching.prefill_chunk
        self._page_size = page_size
        most = batching.tokens_per_step
        self._left = None if most is None else max(0, most - decoding)

    @property
    def is_spent(self) -> bool:
        """Whether not even one token more may be computed."""
        return self._left == 0

    def cut(self, start: int, end: int) -> int:
        """Take the tokens [start, end) or as many of them as may be computed now; return where they end."""
        limits = [limit for limit in (self._chunk, self._left) if limit is not None]
        reached = min([end, *(start + limit for limit in limits)])
        aligned = reached - reached % self._page_size
        if reached < end and aligned > start:
            reached = aligned
        if self._left is not None:
            self._left -= reached - start
        return reached
