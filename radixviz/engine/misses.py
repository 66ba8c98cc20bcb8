"""Misses: why each prompt token was not reused, as a fold over events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Literal

from radixviz.engine.prefix_history import PrefixHistory
from radixviz.events import (
    Event,
    Namespace,
    PagesFreed,
    RequestArrived,
    RequestMatched,
    SequenceCached,
    SequenceCancelled,
    SequenceRetracted,
    SequencesForked,
    TokenSampled,
    TokensComputed,
)

MissReason = Literal["never_seen", "diverged", "evicted", "in_flight", "other_namespace", "page_rounding", "last_token"]


@dataclass(frozen=True, slots=True)
class Misses:
    """Prompt tokens that were not reused, by reason: one reason for each token.

    Of a token is said what is true of the beginning that ends with it, at the moment of the look-up.
    """

    never_seen: int = 0
    """Never computed: its text is new, or goes on where all that is known ends."""
    diverged: int = 0
    """Never computed: what comes before is known, and all that is known went on with another token."""
    evicted: int = 0
    """Was computed, and its K and V are gone: evicted, freed with a retracted or cancelled sequence, or never kept."""
    in_flight: int = 0
    """Another sequence is computing it, or has it in its own pages: it is not in the tree yet."""
    other_namespace: int = 0
    """The tree has it in another namespace only."""
    page_rounding: int = 0
    """It lies in a page that cannot be reused whole, or it was not kept as its page was not full."""
    last_token: int = 0
    """The tree has it, but the prompt's last token is computed always: its logits are wanted."""

    @property
    def total(self) -> int:
        """Return all of them."""
        return sum(getattr(self, field.name) for field in fields(self))

    def with_more(self, reasons: Iterable[MissReason]) -> Misses:
        """Return the counts with these added."""
        more = Counter[str](reasons)
        return Misses(**{field.name: getattr(self, field.name) + more[field.name] for field in fields(self)})


class _Flight:
    """What a sequence has computed or will compute: the number of the beginning at each of its tokens."""

    def __init__(self, namespace: Namespace, prompt_ids: tuple[int, ...]) -> None:
        self.namespace = namespace
        self.token_ids = list(prompt_ids)
        self.sampled: int | None = None
        """The last token, which is not fed back yet."""
        self.numbers: list[int] = []
        self.computed = 0
        self.running = False


class MissFold:
    """Takes events in; tells for each sequence, from its first look-up on, why its prompt tokens were not reused."""

    def __init__(self, history: PrefixHistory) -> None:
        self.totals = Misses()
        self.reasons: dict[str, tuple[MissReason, ...]] = {}
        """By sequence id: the reasons of the prompt's last tokens, those that were not reused."""
        self._history = history
        self._flights: dict[str, _Flight] = {}
        self._in_flight = Counter[int]()
        self._tail: list[int] = []
        self._not_kept = set[int]()
        self._given_up = set[int]()

    def note(self, event: Event) -> None:
        """Take one event in, which the history has had already."""
        match event:
            case RequestArrived():
                for sequence_id in event.sequence_ids:
                    self._flights[sequence_id] = _Flight(event.namespace, event.prompt_ids)
            case RequestMatched():
                self._matched(event)
            case TokensComputed():
                self._flights[event.sequence_id].computed = event.end
            case SequencesForked():
                for sequence_id in event.sequence_ids:
                    self._fork(self._flights[event.sequence_id], self._flights[sequence_id])
            case TokenSampled():
                self._sampled(self._flights[event.sequence_id], event.token_id)
            case SequenceCached(finished=True):
                self._tail = self._land(event.sequence_id)[event.length :]
                del self._flights[event.sequence_id]
            case PagesFreed(reason="tail"):
                # A whole page or more is not kept for want of a cache, less than a page as it is not full.
                (self._not_kept if len(event.pages) == 1 else self._given_up).update(self._tail)
            case SequenceRetracted():
                self._given_up.update(self._land(event.sequence_id))
            case SequenceCancelled():
                self._given_up.update(self._land(event.sequence_id))
                del self._flights[event.sequence_id]
            case _:
                pass

    def _matched(self, event: RequestMatched) -> None:
        flight = self._flights[event.sequence_id]
        if not event.resumed:
            reasons = self._reasons_of(flight, event.cached_tokens)
            self.reasons[event.sequence_id] = reasons
            self.totals = self.totals.with_more(reasons)
        self._feed(flight)
        beginnings = self._history.beginnings
        flight.numbers = list(beginnings.follow(beginnings.root(flight.namespace), flight.token_ids))
        flight.computed, flight.running = event.cached_tokens, True
        self._in_flight.update(flight.numbers)

    def _reasons_of(self, flight: _Flight, cached_tokens: int) -> tuple[MissReason, ...]:
        prompt, beginnings = flight.token_ids, self._history.beginnings
        known = list(beginnings.find(flight.namespace, prompt))
        beyond: MissReason = "diverged" if known and beginnings.goes_on(known[-1]) else "never_seen"
        elsewhere = self._held_elsewhere(flight.namespace, prompt)
        reasons = list[MissReason]()
        for position in range(cached_tokens, len(prompt)):
            if position < len(known) and (reason := self._reason_of(known[position])):
                is_last = reason == "page_rounding" and position == len(prompt) - 1
                reasons.append("last_token" if is_last and self._history.is_held(known[position]) else reason)
            elif position < elsewhere:
                reasons.append("other_namespace")
            else:  # known and not computed: whoever was to compute it was called off or sent back before
                reasons.append("never_seen" if position < len(known) else beyond)
        return tuple(reasons)

    def _reason_of(self, number: int) -> MissReason | None:
        """Return why a beginning that is known is not reused; None when it was never computed."""
        if self._history.is_held(number):
            return "page_rounding"
        if self._in_flight[number]:
            return "in_flight"
        if self._history.is_gone(number) or number in self._given_up:
            return "evicted"
        return "page_rounding" if number in self._not_kept else None

    def _held_elsewhere(self, namespace: Namespace, prompt: list[int]) -> int:
        others = (other for other in self._history.beginnings.namespaces if other != namespace)
        return max((self._history.held_len(other, prompt) for other in others), default=0)

    def _fork(self, first: _Flight, fork: _Flight) -> None:
        fork.numbers, fork.computed, fork.running = first.numbers.copy(), first.computed, True
        self._in_flight.update(fork.numbers)

    def _sampled(self, flight: _Flight, token_id: int) -> None:
        """Take a new token; the one before it has been fed back by now."""
        fed = self._feed(flight)
        new = list(self._history.beginnings.follow(flight.numbers[-1], fed))
        flight.numbers += new
        self._in_flight.update(new)
        flight.computed, flight.sampled = len(flight.numbers), token_id

    def _feed(self, flight: _Flight) -> list[int]:
        fed = [] if flight.sampled is None else [flight.sampled]
        flight.token_ids += fed
        flight.sampled = None
        return fed

    def _land(self, sequence_id: str) -> list[int]:
        """Take a sequence's beginnings out of the air; return those whose K and V it had computed."""
        flight = self._flights[sequence_id]
        if not flight.running:
            return []
        flight.running = False
        for number in flight.numbers:
            self._in_flight[number] -= 1
            if not self._in_flight[number]:
                del self._in_flight[number]
        return flight.numbers[: flight.computed]
