"""EvictionPolicy: which of the unlocked leaves goes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from radixviz.cache.node import TreeNode
from radixviz.cache.snapshot import NodeView
from radixviz.errors import UnknownPolicy

PROTECTED_THRESHOLD = 2
"""Hits from which slru protects a node (SGLang's value)."""


class EvictionPolicy(Protocol):
    """A policy is one method: the leaf with the lowest key is evicted first, and ties go by node id."""

    @property
    def name(self) -> str:
        """The name that settings use."""
        ...

    @property
    def key_may_fall(self) -> bool:
        """Whether a use can lower a node's key; else it only grows while the node stays in the tree."""
        ...

    def key(self, node: TreeNode | NodeView) -> tuple[int, ...]:
        """Return the key of a leaf."""
        ...


class EvictionCandidate(NamedTuple):
    """A leaf that nobody holds, and the key that decides its turn."""

    key: tuple[int, ...]
    node_id: int


class LeastRecentlyUsed:
    """The leaf whose last use is longest ago goes first."""

    name, key_may_fall = "lru", False

    def key(self, node: TreeNode | NodeView) -> tuple[int, ...]:
        """Return the tick of the last use."""
        return (node.last_access,)


class LeastFrequentlyUsed:
    """The leaf with the fewest hits goes first; of equals the one whose last use is longest ago."""

    name, key_may_fall = "lfu", False

    def key(self, node: TreeNode | NodeView) -> tuple[int, ...]:
        """Return hits and the tick of the last use."""
        return node.hit_count, node.last_access


class FirstInFirstOut:
    """The oldest leaf goes first, however often it is used. The upper part of a split is new (SGLang)."""

    name, key_may_fall = "fifo", False

    def key(self, node: TreeNode | NodeView) -> tuple[int, ...]:
        """Return the tick of the creation."""
        return (node.created,)


class MostRecentlyUsed:
    """The leaf that was used last goes first; of one insert, the new leaf before the tail that it cut off."""

    name, key_may_fall = "mru", True

    def key(self, node: TreeNode | NodeView) -> tuple[int, ...]:
        """Return the tick of the last use and the id, both negative."""
        return -node.last_access, -node.node_id


class FirstInLastOut:
    """The newest leaf goes first."""

    name, key_may_fall = "filo", False

    def key(self, node: TreeNode | NodeView) -> tuple[int, ...]:
        """Return the tick of the creation, negative."""
        return (-node.created,)


class SegmentedLeastRecentlyUsed:
    """Leaves with few hits go first, least recently used first in either segment."""

    name, key_may_fall = "slru", False

    def __init__(self, protected_threshold: int = PROTECTED_THRESHOLD) -> None:
        self._protected_threshold = protected_threshold

    def key(self, node: TreeNode | NodeView) -> tuple[int, ...]:
        """Return 1 from `protected_threshold` hits on, else 0, and the tick of the last use."""
        return int(node.hit_count >= self._protected_threshold), node.last_access


class LowestPriority:
    """The leaf of the lowest priority goes first; of equals the one whose last use is longest ago."""

    name, key_may_fall = "priority", False

    def key(self, node: TreeNode | NodeView) -> tuple[int, ...]:
        """Return priority and the tick of the last use."""
        return node.priority, node.last_access


def eviction_policies() -> dict[str, Callable[[], EvictionPolicy]]:
    """Return the policies by name (SGLang: evict_policy.py; its tlru is left out)."""
    return {
        "lru": LeastRecentlyUsed,
        "lfu": LeastFrequentlyUsed,
        "fifo": FirstInFirstOut,
        "mru": MostRecentlyUsed,
        "filo": FirstInLastOut,
        "slru": SegmentedLeastRecentlyUsed,
        "priority": LowestPriority,
    }


def eviction_policy(name: str) -> EvictionPolicy:
    """Return the policy of this name, or raise UnknownPolicy."""
    policies = eviction_policies()
    if name not in policies:
        raise UnknownPolicy(name, tuple(policies))
    return policies[name]()
