"""EvictionPolicy: which of the unlocked leaves goes first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from radixviz.cache.node import TreeNode
from radixviz.errors import UnknownPolicy


class EvictionPolicy(Protocol):
    """A policy is one method: the leaf with the lowest key is evicted first."""

    @property
    def name(self) -> str:
        """The name that settings use."""
        ...

    def key(self, node: TreeNode) -> tuple[int, ...]:
        """Return the key of a leaf; it may only grow while the node stays in the tree."""
        ...


class LeastRecentlyUsed:
    """The leaf whose last use is longest ago goes first."""

    name = "lru"

    def key(self, node: TreeNode) -> tuple[int, ...]:
        """Return the tick of the last use."""
        return (node.last_access,)


def eviction_policies() -> dict[str, Callable[[], EvictionPolicy]]:
    """Return the policies by name."""
    return {"lru": LeastRecentlyUsed}


def eviction_policy(name: str) -> EvictionPolicy:
    """Return the policy of this name, or raise UnknownPolicy."""
    policies = eviction_policies()
    if name not in policies:
        raise UnknownPolicy(name, tuple(policies))
    return policies[name]()
