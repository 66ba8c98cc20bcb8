"""PrefixHistory: which beginnings are in the tree and which were and are gone, as a fold over events."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from radixviz.engine.beginnings import Beginnings
from radixviz.events import CacheReset, Event, Namespace, NodeAdded, NodeEvicted, NodeGrown, NodeSplit


@dataclass(frozen=True, slots=True)
class EvictedEdge:
    """A node that was evicted: its id and the tokens of its edge."""

    node_id: int
    token_ids: tuple[int, ...]


class PrefixHistory:
    """Counts for every beginning how many nodes hold it, and remembers those that are gone.

    With pages of several tokens two nodes may hold the same beginning: their pages begin alike and then differ.
    """

    def __init__(self) -> None:
        self.beginnings = Beginnings()
        self._holders = array("l")
        self._was_held = bytearray()
        self._starts: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        self._edges: dict[int, tuple[int, ...]] = {}
        self._evicted: dict[int, list[EvictedEdge]] = {}

    def note(self, event: Event) -> None:
        """Take one event in; those that do not concern the tree are passed over."""
        match event:
            case NodeAdded():
                above = event.parent_id
                start = self.beginnings.root(event.namespace) if above is None else self._ends[above]
                self._starts[event.node_id] = self._ends[event.node_id] = start
                self._edges[event.node_id] = ()
                self._lengthen(event.node_id, event.token_ids)
            case NodeGrown():
                self._lengthen(event.node_id, event.token_ids)
            case NodeSplit():
                self._split(event.node_id, event.upper_id, event.length)
            case NodeEvicted():
                self._forget(event.node_id)
            case CacheReset():
                for node_id in list(self._edges):
                    self._forget(node_id)
            case _:
                pass

    def is_held(self, number: int) -> bool:
        """Return whether the tree has the beginning of this number now."""
        return number < len(self._holders) and self._holders[number] > 0

    def is_gone(self, number: int) -> bool:
        """Return whether the tree had the beginning of this number and has it no more."""
        return number < len(self._holders) and self._holders[number] == 0 and bool(self._was_held[number])

    def held_len(self, namespace: Namespace, token_ids: Sequence[int]) -> int:
        """Return how many leading tokens are in the tree, those of a page that differs further on included."""
        numbers = self.beginnings.find(namespace, token_ids)
        return sum(1 for _ in takewhile(self.is_held, numbers))

    def evicted_before(self, namespace: Namespace, token_ids: Sequence[int]) -> tuple[bool, ...]:
        """Return for each token whether the beginning that ends with it was in the tree once and is not now."""
        known = tuple(self.is_gone(number) for number in self.beginnings.find(namespace, token_ids))
        return known + (False,) * (len(token_ids) - len(known))

    def evicted_edge(self, namespace: Namespace, token_ids: Sequence[int], length: int) -> EvictedEdge | None:
        """Return the edge, last evicted, that went on from token_ids[:length] with the token that follows there."""
        if length >= len(token_ids):
            return None
        numbers = [self.beginnings.root(namespace), *self.beginnings.find(namespace, token_ids[:length])]
        edges = self._evicted.get(numbers[length], []) if length < len(numbers) else []
        return next((edge for edge in reversed(edges) if edge.token_ids[0] == token_ids[length]), None)

    def _lengthen(self, node_id: int, token_ids: tuple[int, ...]) -> None:
        numbers = list(self.beginnings.follow(self._ends[node_id], token_ids))
        unseen = len(self.beginnings) - len(self._holders)
        self._holders.extend((0,) * unseen)
        self._was_held.extend(bytes(unseen))
        for number in numbers:
            self._holders[number] += 1
            self._was_held[number] = 1
        self._edges[node_id] += token_ids
        self._ends[node_id] = numbers[-1]

    def _split(self, node_id: int, upper_id: int, length: int) -> None:
        start, edge = self._starts[node_id], self._edges[node_id]
        *_, middle = self.beginnings.follow(start, edge[:length])
        self._starts[upper_id], self._ends[upper_id], self._edges[upper_id] = start, middle, edge[:length]
        self._starts[node_id], self._edges[node_id] = middle, edge[length:]

    def _forget(self, node_id: int) -> None:
        start, edge = self._starts.pop(node_id), self._edges.pop(node_id)
        del self._ends[node_id]
        self._evicted.setdefault(start, []).append(EvictedEdge(node_id, edge))
        for number in self.beginnings.follow(start, edge):
            self._holders[number] -= 1
