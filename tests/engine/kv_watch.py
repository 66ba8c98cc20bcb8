"""A runner without a model that checks every slot that it is told to read."""

from __future__ import annotations

from collections.abc import Sequence

from radixviz.engine.engine import Engine
from radixviz.engine.runner import DecodeRow, ExtendRow, Reply, Sampled, SimulatedRunner
from radixviz.events import Namespace

Content = tuple[Namespace, tuple[int, ...]]
"""K and V of a token depend on everything before it: they are known by the namespace and all tokens up to it."""


class KVWatch(SimulatedRunner):
    """Writes into each slot what would be computed there, and asserts that what is read is what should be there."""

    def __init__(self, reply: Reply, *, max_positions: int = 1 << 30) -> None:
        super().__init__(reply, max_positions=max_positions)
        self.engine: Engine | None = None
        self.written: dict[int, Content] = {}

    def extend(self, rows: Sequence[ExtendRow]) -> list[tuple[Sampled, ...]]:
        """As the protocol says, after a check of every row."""
        for row in rows:
            contents = self._contents(row.sequence_id)[: len(row.slots)]
            assert len(row.slots) == len(contents) == row.start + len(row.token_ids)
            assert bool(row.draws) == (len(contents) == len(self._tokens(row.sequence_id)))
            assert row.token_ids == contents[-1][1][row.start :]
            self._read(row.slots[: row.start], contents[: row.start])
            self._write(row.slots[row.start :], contents[row.start :])
        return super().extend(rows)

    def decode(self, rows: Sequence[DecodeRow]) -> list[Sampled]:
        """As the protocol says, after a check of every row."""
        for row in rows:
            contents = self._contents(row.sequence_id)
            assert (len(row.slots), row.token_id) == (len(contents), contents[-1][1][-1])
            self._read(row.slots[:-1], contents[:-1])
            self._write(row.slots[-1:], contents[-1:])
        return super().decode(rows)

    def copy_slots(self, source: Sequence[int], target: Sequence[int]) -> None:
        """Copy what is written."""
        assert set(source).isdisjoint(target)
        self._write(target, [self.written[slot] for slot in source])

    def _contents(self, sequence_id: str) -> list[Content]:
        assert self.engine is not None
        namespace, tokens = self.engine.sequences[sequence_id].request.namespace, self._tokens(sequence_id)
        return [(namespace, tuple(tokens[:end])) for end in range(1, len(tokens) + 1)]

    def _tokens(self, sequence_id: str) -> list[int]:
        assert self.engine is not None
        return self.engine.sequences[sequence_id].token_ids

    def _read(self, slots: Sequence[int], contents: Sequence[Content]) -> None:
        assert [self.written.get(slot) for slot in slots] == list(contents)

    def _write(self, slots: Sequence[int], contents: Sequence[Content]) -> None:
        assert len(set(slots)) == len(slots) == len(contents)
        self.written.update(zip(slots, contents, strict=True))
