"""Faults that are easily made in a prefix cache, each as a cache that has it, and requests that bring it out."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from radixviz.cache.node import TreeNode
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import IntegrityError
from tests.engine.serving import Serving


class SplitForgetsLock(RadixCache):
    """The upper part of a split is not held, although the whole edge was."""

    def _split(self, node: TreeNode, length: int) -> TreeNode:
        upper = super()._split(node, length)
        upper.lock_ref = 0
        return upper


class EvictForgetsSize(RadixCache):
    """A leaf goes, and its tokens are still counted."""

    def _remove_leaf(self, leaf: TreeNode) -> None:
        before = self._evictable_size
        super()._remove_leaf(leaf)
        self._evictable_size = before


class StaleParent(RadixCache):
    """The lower part of a split still points past the upper one."""

    def _split(self, node: TreeNode, length: int) -> TreeNode:
        upper = super()._split(node, length)
        node.parent = upper.parent
        return upper


class AlignmentIgnored(RadixCache):
    """A page that is not full is stored: what the caller keeps for itself has two owners."""

    def _add_leaf(self, parent: TreeNode, tokens: array[int], value: array[int], *more: object) -> None:
        rest = array("q", [900])
        super()._add_leaf(parent, tokens + rest, value + rest, *more)  # type: ignore[arg-type]


class UnlockStopsEarly(RadixCache):
    """Only the node itself is let go, and what is above it stays held for ever."""

    def dec_lock_ref(self, node: TreeNode) -> int:
        if node is self.root:
            return 0
        node.lock_ref -= 1
        moved = len(node.key) if node.lock_ref == 0 else 0
        self._evictable_size += moved
        self._protected_size -= moved
        return moved


class LockedLeafEvicted(RadixCache):
    """With nothing else to evict a held leaf goes, properly uncounted."""

    @property
    def evictable_size(self) -> int:
        """Pretend that everything can go."""
        return self.total_size

    def _worst_leaf(self) -> TreeNode | None:
        if (leaf := super()._worst_leaf()) is not None:
            return leaf
        leaf = next((node for node in self.nodes() if not node.children), None)
        if leaf is not None:
            self._protected_size -= len(leaf.key)
            self._evictable_size += len(leaf.key)
        return leaf


@dataclass(frozen=True, slots=True)
class Caught:
    """Where a fault was seen: after how many steps, by which check, and which law it broke."""

    step: int
    check: str
    """"tree" for the cache's own check, "engine" when only the engine knows."""
    law: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault by name, and the page size at which it does harm."""

    name: str
    cache: type[RadixCache]
    page_size: int = 1

    def caught(self) -> Caught | None:
        """Serve the requests with this fault, every law checked after each step; None when nothing was seen."""
        serving = Counted(12 // self.page_size, self.page_size, make_cache=self.cache, turn_as_one_edge=False)
        try:
            serve(serving)
        except IntegrityError as error:
            return Caught(serving.steps, _check(serving), error.law)
        return None


FAULTS = (
    Fault("a split forgets lock_ref", SplitForgetsLock),
    Fault("evict forgets the size", EvictForgetsSize),
    Fault("a stale parent", StaleParent),
    Fault("alignment ignored", AlignmentIgnored, page_size=4),
    Fault("unlock stops early", UnlockStopsEarly),
    Fault("a locked leaf is evicted", LockedLeafEvicted),
)


class Counted(Serving):
    """Counts its steps."""

    steps = 0

    def step(self, steps: int = 1) -> None:
        """Step, and check every law after each step."""
        for _ in range(steps):
            self.steps += 1
            super().step()


def serve(serving: Serving) -> None:
    """Ask for replies that split held edges, let go of chains, evict, and come near the end of 12 tokens."""
    serving.submit("a", [1, 2, 3, 4, 5], 6)
    serving.step(2)
    serving.submit("b", [1, 2, 3, 9, 9], 5)
    serving.run_until_idle()
    serving.run("c", [7, 7, 7, 7, 7], 6)


def _check(serving: Serving) -> str:
    try:
        serving.cache.check_integrity()
    except IntegrityError:
        return "tree"
    return "engine"
