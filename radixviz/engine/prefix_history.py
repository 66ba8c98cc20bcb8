"""PrefixHistory: which beginnings were in the tree once and were evicted, as a fold over events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from radixviz.events import CacheReset, Event, Namespace, NodeAdded, NodeEvicted, NodeGrown, NodeSplit


@dataclass(frozen=True, slots=True)
class EvictedEdge:
    """A node that was evicted: its id and the tokens of its edge."""

    node_id: int
    token_ids: tuple[int, ...]


class PrefixHistory:
    """Numbers every beginning ever stored, exactly (no hashes), and remembers those that are gone.

    A beginning is (the number of what comes before, its last token). Memory grows with the tokens ever stored.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[int | Namespace, int], int] = {}
        self._starts: dict[int, int | Namespace] = {}
        self._edges: dict[int, tuple[int, ...]] = {}
        self._gone: set[int] = set()
        self._evicted: dict[int | Namespace, list[EvictedEdge]] = {}

    def note(self, event: Event) -> None:
        """Take one event in; those that do not concern the tree are passed over."""
        match event:
            case NodeAdded():
                start = event.namespace if event.parent_id is None else self._end(event.parent_id)
                self._starts[event.node_id], self._edges[event.node_id] = start, ()
                self._lengthen(event.node_id, event.token_ids)
            case NodeGrown():
                self._lengthen(event.node_id, event.token_ids)
            case NodeSplit():
                edge = self._edges[event.node_id]
                self._starts[event.upper_id], self._edges[event.upper_id] = (
                    self._starts[event.node_id],
                    edge[: event.length],
                )
                self._starts[event.node_id] = self._end(event.upper_id)
                self._edges[event.node_id] = edge[event.length :]
            case NodeEvicted():
                self._forget(event.node_id)
            case CacheReset():
                for node_id in list(self._edges):
                    self._forget(node_id)
            case _:
                pass

    def evicted_before(self, namespace: Namespace, token_ids: Sequence[int]) -> tuple[bool, ...]:
        """Return for each token whether the beginning that ends with it was in the tree once and is not now."""
        number: int | Namespace | None = namespace
        found = []
        for token in token_ids:
            number = self._numbers.get((number, token)) if number is not None else None
            found.append(number in self._gone)
        return tuple(found)

    def evicted_edge(self, namespace: Namespace, token_ids: Sequence[int], length: int) -> EvictedEdge | None:
        """Return the edge, last evicted, that went on from token_ids[:length] with the token that follows there."""
        if length >= len(token_ids):
            return None
        number: int | Namespace | None = namespace
        for token in token_ids[:length]:
            number = self._numbers.get((number, token)) if number is not None else None
        if number is None:
            return None
        edges = self._evicted.get(number, [])
        return next((edge for edge in reversed(edges) if edge.token_ids[0] == token_ids[length]), None)

    def _lengthen(self, node_id: int, token_ids: tuple[int, ...]) -> None:
        number = self._end(node_id)
        for token in token_ids:
            number = self._numbers.setdefault((number, token), len(self._numbers))
            self._gone.discard(number)
        self._edges[node_id] += token_ids

    def _forget(self, node_id: int) -> None:
        number, edge = self._starts.pop(node_id), self._edges.pop(node_id)
        self._evicted.setdefault(number, []).append(EvictedEdge(node_id, edge))
        for token in edge:
            number = self._numbers[(number, token)]
            self._gone.add(number)

    def _end(self, node_id: int) -> int | Namespace:
        number = self._starts[node_id]
        for token in self._edges[node_id]:
            number = self._numbers[(number, token)]
        return number
