"""Facts that the cache and the engine report, in the past tense, one fact each: ids and numbers, no prose.

The order of the events is the order in which things happened; there are no times in them, so the same run gives the
same events. A sequence id is the request's id, with "#1" to "#n" behind it when n samples were asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, cast

Phase = Literal["match", "lock", "extend", "decode", "cache", "done"]
FreeReason = Literal["evicted", "duplicate", "tail", "retracted", "cancelled"]
FinishReason = Literal["stop", "length"]
Namespace = tuple[str | None, str | None, str | None, str | None]
"""(model, adapter, cache_salt, extra_key): the parts are never joined, and None and "" differ."""
NO_NAMESPACE: Namespace = (None, None, None, None)
Kind = TypeVar("Kind")


class _ReadLate:
    """A field that keeps the run of integers that it was given and makes it a tuple when it is first read.

    A cache tells of thousands of tokens at a time, and few listeners read each of them.
    """

    def __init__(self, name: str) -> None:
        self._kept = f"_{name}"

    def __get__(self, event: object, owner: type | None = None) -> tuple[int, ...]:
        kept = event.__dict__[self._kept]
        if not isinstance(kept, tuple):
            kept = event.__dict__[self._kept] = tuple(kept)
        return kept

    def __set__(self, event: object, value: Sequence[int]) -> None:
        event.__dict__[self._kept] = value


def _reads_ids_late(kind: type[Kind]) -> type[Kind]:
    for name in ("token_ids", "slots"):
        setattr(kind, name, _ReadLate(name))
    return kind


def read_late(ids: Sequence[int]) -> tuple[int, ...]:
    """Hand ids to an event of the tree, which makes a tuple of them when it is asked; they must not change any more."""
    return cast("tuple[int, ...]", ids)


@_reads_ids_late
@dataclass(frozen=True)
class NodeAdded:
    """A new leaf was put below `parent_id` (None: below the root)."""

    node_id: int
    parent_id: int | None
    token_ids: tuple[int, ...]
    slots: tuple[int, ...]
    namespace: Namespace


@_reads_ids_late
@dataclass(frozen=True)
class NodeGrown:
    """A leaf was lengthened by the output of the request that made it."""

    node_id: int
    token_ids: tuple[int, ...]
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NodeSplit:
    """The first `length` tokens of `node_id` became the new node `upper_id`, its parent; no page moved."""

    node_id: int
    upper_id: int
    length: int


@_reads_ids_late
@dataclass(frozen=True)
class NodeEvicted:
    """A leaf left the tree; its slots are free again."""

    node_id: int
    parent_id: int | None
    token_ids: tuple[int, ...]
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CacheReset:
    """The whole tree was dropped."""


@dataclass(frozen=True, slots=True)
class RequestArrived:
    """A request joined the queue."""

    request_id: str
    sequence_ids: tuple[str, ...]
    prompt_ids: tuple[int, ...]
    namespace: Namespace


@dataclass(frozen=True, slots=True)
class RequestMatched:
    """The look-up found `prefix_len` tokens along `path` (node ids, from the root down); `cached_tokens` are reused.

    `resumed` tells a sequence that comes back after a retraction: what it reuses then is not a hit.
    """

    sequence_id: str
    prefix_len: int
    cached_tokens: int
    path: tuple[int, ...]
    resumed: bool = False


@dataclass(frozen=True, slots=True)
class NodesLocked:
    """The sequence now holds every node of `path`: none of them can be evicted."""

    sequence_id: str
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NodesUnlocked:
    """The sequence no longer holds the nodes of `path`."""

    sequence_id: str
    path: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PageShort:
    """The sequence needs `short` more pages than are free: eviction begins."""

    sequence_id: str
    short: int
    phase: Phase


@dataclass(frozen=True, slots=True)
class PagesAllocated:
    """The sequence got these pages."""

    sequence_id: str
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PagesFreed:
    """These pages are free again. `sequence_id` gave them back, or was short of pages when they were evicted."""

    sequence_id: str
    pages: tuple[int, ...]
    reason: FreeReason


@dataclass(frozen=True, slots=True)
class TokensComputed:
    """Prefill computed K and V of the tokens [start, end) of the sequence."""

    sequence_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PrefillPaused:
    """The step's share of the prefill is done: [0, computed) of `total` tokens, and the rest is left for later."""

    sequence_id: str
    computed: int
    total: int


@dataclass(frozen=True, slots=True)
class SequencesForked:
    """The prompt was computed once, in `sequence_id`; these samples share it."""

    sequence_id: str
    sequence_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TokenSampled:
    """The sequence got its next token; its K and V are not computed yet."""

    sequence_id: str
    token_id: int


@dataclass(frozen=True, slots=True)
class SequenceCached:
    """[0, length) of the sequence is in the tree, ending at `node_id`; `prefix_len` of it had been there before."""

    sequence_id: str
    node_id: int | None
    length: int
    prefix_len: int
    finished: bool


@dataclass(frozen=True, slots=True)
class SequenceFinished:
    """The sequence has its last token."""

    sequence_id: str
    reason: FinishReason


@dataclass(frozen=True, slots=True)
class SequenceRetracted:
    """The sequence gave its pages back and waits again, keeping the tokens it has."""

    sequence_id: str


@dataclass(frozen=True, slots=True)
class SequenceCancelled:
    """The sequence was called off: it holds nothing and will get no more tokens."""

    sequence_id: str


@dataclass(frozen=True, slots=True)
class PhaseClosed:
    """A phase has ended for these sequences, and the state is consistent: the moment for a picture."""

    phase: Phase
    sequence_ids: tuple[str, ...]


Event = (
    NodeAdded
    | NodeGrown
    | NodeSplit
    | NodeEvicted
    | CacheReset
    | RequestArrived
    | RequestMatched
    | NodesLocked
    | NodesUnlocked
    | PageShort
    | PagesAllocated
    | PagesFreed
    | TokensComputed
    | PrefillPaused
    | SequencesForked
    | TokenSampled
    | SequenceCached
    | SequenceFinished
    | SequenceRetracted
    | SequenceCancelled
    | PhaseClosed
)
Emit = Callable[[Event], None]
