"""Sharing: how many tokens' K and V running sequences have in common, as a fold over events."""

from __future__ import annotations

from collections import Counter

from radixviz.events import (
    CacheReset,
    Event,
    NodeAdded,
    NodeEvicted,
    NodeGrown,
    NodesLocked,
    NodeSplit,
    NodesUnlocked,
)


class SharingFold:
    """Takes events in and keeps `shared_tokens`.

    They are the tokens of the tree that a running sequence holds, each counted once for every holder beyond the
    first: as many more slots would be needed now if each sequence had its own K and V.
    """

    def __init__(self) -> None:
        self.shared_tokens = 0
        self.most_shared_tokens = 0
        """The highest that `shared_tokens` has been."""
        self._lengths: dict[int, int] = {}
        self._parents: dict[int, int | None] = {}
        self._held: dict[str, int | None] = {}
        self._holders = Counter[int]()

    def note(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case NodeAdded():
                self._lengths[event.node_id], self._parents[event.node_id] = len(event.token_ids), event.parent_id
            case NodeGrown():  # it has one holder at most, so nothing more is shared
                self._lengths[event.node_id] += len(event.token_ids)
            case NodeSplit():
                self._split(event.node_id, event.upper_id, event.length)
            case NodeEvicted():
                del self._lengths[event.node_id], self._parents[event.node_id]
            case CacheReset():
                self._lengths.clear()
                self._parents.clear()
            case NodesLocked():
                before = self._held.get(event.sequence_id)
                self._held[event.sequence_id] = event.path[-1] if event.path else None
                self._count(before, -1)
                self._count(self._held[event.sequence_id], 1)
                self.most_shared_tokens = max(self.most_shared_tokens, self.shared_tokens)
            case NodesUnlocked():
                self._count(self._held.pop(event.sequence_id), -1)
            case _:
                pass

    def _split(self, node_id: int, upper_id: int, length: int) -> None:
        self._parents[upper_id], self._parents[node_id] = self._parents[node_id], upper_id
        self._lengths[upper_id], self._lengths[node_id] = length, self._lengths[node_id] - length
        self._holders[upper_id] = self._holders[node_id]

    def _count(self, node_id: int | None, holders: int) -> None:
        """Change the number of holders of a node and of all above it."""
        while node_id is not None:
            before = self._holders[node_id]
            self._holders[node_id] = after = before + holders
            if not after:
                del self._holders[node_id]
            self.shared_tokens += self._lengths[node_id] * (max(0, after - 1) - max(0, before - 1))
            node_id = self._parents[node_id]
