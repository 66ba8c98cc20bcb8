"""Latency: how long requests waited and how fast their tokens came, as a fold over events and a clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil

from radixviz.events import (
    Event,
    RequestArrived,
    RequestMatched,
    SequenceCancelled,
    SequenceFinished,
    TokenSampled,
)


@dataclass(frozen=True, slots=True)
class Spread:
    """Some durations in seconds: how many, the nearest-rank percentiles 50 and 95, and the longest; zeros for none."""

    count: int = 0
    p50: float = 0.0
    p95: float = 0.0
    max: float = 0.0

    @classmethod
    def of(cls, seconds: Iterable[float]) -> Spread:
        """Return the spread of these durations.

        >>> Spread.of([3.0, 1.0, 2.0])
        Spread(count=3, p50=2.0, p95=3.0, max=3.0)
        """
        ordered = sorted(seconds)
        if not ordered:
            return cls()
        p50, p95 = (ordered[ceil(len(ordered) * share) - 1] for share in (0.5, 0.95))
        return cls(len(ordered), p50, p95, ordered[-1])


@dataclass(frozen=True, slots=True)
class Latency:
    """The three delays that a user feels."""

    queue_wait: Spread
    """From each request's arrival to the look-up with which it was taken in first."""
    ttft: Spread
    """Time to first token: from each request's arrival to its first token."""
    tpot: Spread
    """Time per output token: the mean gap between the tokens of each finished sequence that has two or more."""


class LatencyFold:
    """Reads the clock `now` as events come. A retraction counts where it is felt: in the gaps between tokens."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._arrived: dict[str, float] = {}
        self._request_of: dict[str, str] = {}
        self._tokens: dict[str, tuple[int, float, float]] = {}  # how many, when the first came, and the last
        self.queue_waits: dict[str, float] = {}
        """By request id, in the order of their end."""
        self.ttfts: dict[str, float] = {}
        """By request id, in the order of their coming."""
        self.tpots: dict[str, float] = {}
        """By sequence id, in the order of their end."""

    @property
    def latency(self) -> Latency:
        """What was measured so far."""
        measured = (self.queue_waits, self.ttfts, self.tpots)
        return Latency(*(Spread.of(seconds.values()) for seconds in measured))

    def note(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case RequestArrived():
                self._arrived[event.request_id] = self._now()
                self._request_of.update(dict.fromkeys(event.sequence_ids, event.request_id))
            case RequestMatched(resumed=False):
                request_id = self._request_of[event.sequence_id]
                self.queue_waits[request_id] = self._now() - self._arrived[request_id]
            case TokenSampled():
                self._sampled(event.sequence_id)
            case SequenceFinished():
                count, first, last = self._tokens.pop(event.sequence_id)
                if count > 1:
                    self.tpots[event.sequence_id] = (last - first) / (count - 1)
            case SequenceCancelled():
                self._tokens.pop(event.sequence_id, None)
            case _:
                pass

    def _sampled(self, sequence_id: str) -> None:
        now, request_id = self._now(), self._request_of[sequence_id]
        count, first, _ = self._tokens.get(sequence_id, (0, now, now))
        self._tokens[sequence_id] = (count + 1, first, now)
        self.ttfts.setdefault(request_id, now - self._arrived[request_id])
