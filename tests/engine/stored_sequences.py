"""What the events of a tree say is stored, as whole sequences: an oracle without a tree of its own."""

from __future__ import annotations

from radixviz.events import CacheReset, Event, Namespace, NodeAdded, NodeEvicted, NodeGrown, NodeSplit


class StoredSequences:
    """Follows the events of the tree to the token sequences that its nodes end."""

    def __init__(self) -> None:
        self.nodes: dict[int, tuple[int | None, tuple[int, ...], Namespace]] = {}

    def note(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case NodeAdded(node_id, parent_id, tokens, _, namespace):
                self.nodes[node_id] = (parent_id, tokens, namespace)
            case NodeGrown(node_id, tokens):
                parent_id, before, namespace = self.nodes[node_id]
                self.nodes[node_id] = (parent_id, before + tokens, namespace)
            case NodeSplit(node_id, upper_id, length):
                parent_id, tokens, namespace = self.nodes[node_id]
                self.nodes[upper_id] = (parent_id, tokens[:length], namespace)
                self.nodes[node_id] = (upper_id, tokens[length:], namespace)
            case NodeEvicted(node_id, parent_id, tokens):
                assert self.nodes.pop(node_id)[:2] == (parent_id, tokens)
                assert all(above != node_id for above, _, _ in self.nodes.values())
            case CacheReset():
                self.nodes.clear()
            case _:
                pass

    def sequences(self) -> list[tuple[Namespace, tuple[int, ...]]]:
        """Return the whole sequence of every node, from the root down to it."""
        return [(namespace, self._whole(node_id)) for node_id, (_, _, namespace) in self.nodes.items()]

    def _whole(self, node_id: int) -> tuple[int, ...]:
        tokens: tuple[int, ...] = ()
        above: int | None = node_id
        while above is not None:
            above, edge, _ = self.nodes[above]
            tokens = edge + tokens
        return tokens


def common_prefix(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    """Return how many leading tokens are equal."""
    return next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
