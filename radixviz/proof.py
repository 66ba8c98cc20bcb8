"""What was measured on a model: that reuse does not change its answer, and what it saves. Numbers only, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

HITS = (0.0, 0.5, 0.9, 0.99)
"""How much of the prompt is in the cache when the time to the first token is measured."""
EXACT_DTYPE = "float32"
"""Only here is "identical" claimed: in half precision the order of additions alone moves a logit visibly."""


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """One prompt answered three times: cold, warm, and by a full recompute of plain transformers for each token.

    max_abs_logit_diff     the largest difference of a logit of cold and warm from the recompute
    argmax_equal           the highest logit is the same token at every position of the answer
    text_equal             the three answers are the same tokens
    wrong_positions_diff   the contrast: the suffix at positions counted from 0, over the right prefix
    smallest_gap           between the highest and the second logit, at the position where it is smallest
    """

    prompt_tokens: int
    cached_tokens: int
    answer_tokens: int
    max_abs_logit_diff: float
    argmax_equal: bool
    text_equal: bool
    wrong_positions_diff: float
    smallest_gap: float


@dataclass(frozen=True, slots=True)
class Split:
    """Where the time to the first token goes, in milliseconds.

    match is everything outside the model: look-up, pages, tree. gather is reading K and V from the pages, forward the
    rest of the model's work. On a GPU these are measured in runs of their own, since a clock that waits for the device
    inside costs time.
    """

    match_ms: float
    gather_ms: float
    forward_ms: float

    @property
    def whole_ms(self) -> float:
        """All of it."""
        return self.match_ms + self.gather_ms + self.forward_ms


@dataclass(frozen=True, slots=True)
class FirstToken:
    """The time to the first token at one hit rate; a median.

    bound is the FLOPs of what is left to compute, over those of the whole prompt: what `ratio_to_full` would be if
    time were nothing but multiply-adds. `flops_saved` and `kv_bytes_saved` are what the model need not do and write.
    """

    hit: float
    cached_tokens: int
    ms: float
    ratio_to_full: float
    bound: float
    flops_saved: int
    kv_bytes_saved: int
    split: Split

    @property
    def ratio_to_bound(self) -> float:
        """How far the measured ratio is from the bound; 1 is the bound itself."""
        return self.ratio_to_full / self.bound


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of the pool's tensor, and those allocated on the device before and after it was made.

    On the CPU these are the process's resident bytes, which grow only as pages are written.
    """

    pool_bytes: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Proof:
    """Everything that was measured on one model."""

    model: str
    device: str
    dtype: str
    threads: int
    answer: AnswerCheck
    prompt_tokens: int
    first_tokens: tuple[FirstToken, ...]
    memory: Memory

    @property
    def is_exact(self) -> bool:
        """Whether "identical" may be said of this number format."""
        return self.dtype == EXACT_DTYPE

    @property
    def same_answer(self) -> bool:
        """Whether every token of the answer was the same."""
        return self.answer.argmax_equal and self.answer.text_equal

    def report(self) -> dict[str, Any]:
        """Return what `prove --json` prints."""
        return {
            "model": self.model,
            "device": self.device,
            "dtype": self.dtype,
            "threads": self.threads,
            "max_abs_logit_diff": self.answer.max_abs_logit_diff,
            "argmax_equal": self.answer.argmax_equal,
            "text_equal": self.answer.text_equal,
            "wrong_positions_diff": self.answer.wrong_positions_diff,
            "ttft": [
                {
                    "hit": int(first.hit) if first.hit in (0, 1) else first.hit,
                    "ms": round(first.ms, 3),
                    "ratio_to_full": round(first.ratio_to_full, 4),
                    "bound": round(first.bound, 4),
                    "ratio_to_bound": round(first.ratio_to_bound, 3),
                }
                for first in self.first_tokens
            ],
        }

    def facts(self) -> dict[str, Any]:
        """Return all of it as plain data, for a file."""
        return asdict(self)

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Proof:
        """Return the proof of these facts. Raises KeyError or TypeError if they are not those of a proof."""
        first_tokens = tuple(FirstToken(**{**one, "split": Split(**one["split"])}) for one in facts["first_tokens"])
        parts = {"answer": AnswerCheck(**facts["answer"]), "memory": Memory(**facts["memory"])}
        return cls(**{**facts, **parts, "first_tokens": first_tokens})
