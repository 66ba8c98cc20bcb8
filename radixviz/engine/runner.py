"""What the engine asks of a model, and a stand-in without one for dry runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from radixviz.engine.request import Draw


@dataclass(frozen=True, slots=True)
class ExtendRow:
    """One prompt to prefill: the tokens [start, end) that are not cached, and where everything lies.

        slots[0:start]    K and V are there already: read only
        slots[start:end]  K and V of `token_ids` are written here

    `draws` holds one draw for each sample that shares this prompt, none when the prompt goes on in a later row.
    """

    sequence_id: str
    token_ids: tuple[int, ...]
    start: int
    slots: tuple[int, ...]
    draws: tuple[Draw, ...]


@dataclass(frozen=True, slots=True)
class DecodeRow:
    """One running sequence: its last token, whose K and V go to the last of `slots`."""

    sequence_id: str
    token_id: int
    slots: tuple[int, ...]
    draw: Draw


@dataclass(frozen=True, slots=True)
class Sampled:
    """The next token, and the draw as it stands after it."""

    token_id: int
    draw: Draw


class ModelRunner(Protocol):
    """Computes K, V and next tokens over the slots that the engine hands out."""

    @property
    def max_positions(self) -> int:
        """The most tokens that one sequence can have."""
        ...

    def extend(self, rows: Sequence[ExtendRow]) -> list[tuple[Sampled, ...]]:
        """Prefill each row's tokens and return, for each row, the next token of each of its draws."""
        ...

    def decode(self, rows: Sequence[DecodeRow]) -> list[Sampled]:
        """Compute one token for each row, all together, and return the next ones."""
        ...

    def copy_slots(self, source: Sequence[int], target: Sequence[int]) -> None:
        """Copy K and V from slot to slot: a sample's own copy of a page that is only partly filled."""
        ...


Reply = Callable[[str, int], int]
"""(sequence id, number of the output token from 0) -> token id"""


class SimulatedRunner:
    """A runner without a model: replies are given, time follows a cost model.

    Dry runs use it to find out what fits a pool. `now()` is its clock in seconds: each forward pass costs
    `seconds_per_forward`, and `seconds_per_token` for every token in it.
    """

    def __init__(
        self,
        reply: Reply,
        *,
        max_positions: int = 1 << 30,
        seconds_per_forward: float = 0.004,
        seconds_per_token: float = 0.0001,
    ) -> None:
        self._reply = reply
        self._max_positions = max_positions
        self._seconds_per_forward = seconds_per_forward
        self._seconds_per_token = seconds_per_token
        self._now = 0.0
        self._produced: dict[str, int] = {}

    @property
    def max_positions(self) -> int:
        """As the protocol says."""
        return self._max_positions

    def now(self) -> float:
        """Return the simulated time in seconds since the start."""
        return self._now

    def extend(self, rows: Sequence[ExtendRow]) -> list[tuple[Sampled, ...]]:
        """As the protocol says; a row with n draws answers for the samples `id#1` to `id#n`."""
        self._spend(sum(len(row.token_ids) for row in rows))
        return [
            tuple(self._next(name, draw) for name, draw in zip(_sample_ids(row), row.draws, strict=True))
            for row in rows
        ]

    def decode(self, rows: Sequence[DecodeRow]) -> list[Sampled]:
        """As the protocol says."""
        self._spend(len(rows))
        return [self._next(row.sequence_id, row.draw) for row in rows]

    def copy_slots(self, source: Sequence[int], target: Sequence[int]) -> None:
        """Do nothing: there are no tensors."""

    def _spend(self, tokens: int) -> None:
        self._now += self._seconds_per_forward + tokens * self._seconds_per_token

    def _next(self, sequence_id: str, draw: Draw) -> Sampled:
        number = self._produced.get(sequence_id, 0)
        self._produced[sequence_id] = number + 1
        return Sampled(self._reply(sequence_id, number), draw)


def _sample_ids(row: ExtendRow) -> list[str]:
    if len(row.draws) == 1:
        return [row.sequence_id]
    request_id = row.sequence_id.rsplit("#", 1)[0]
    return [f"{request_id}#{sample}" for sample in range(1, len(row.draws) + 1)]
