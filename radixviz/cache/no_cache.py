"""NoCache: nothing is ever found, for comparison (SGLang: --disable-radix-cache)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from radixviz.cache.key import RadixKey
from radixviz.cache.node import TreeNode
from radixviz.cache.prefix_cache import MatchResult, slots_to_insert
from radixviz.cache.snapshot import TreeSnapshot
from radixviz.errors import BadPageSize, BadTokenCount, ForeignNode, IntegrityError
from radixviz.events import NO_NAMESPACE


class NoCache:
    """A prefix cache that keeps nothing: what a request computes is its own and is freed when it ends."""

    def __init__(self, page_size: int = 1) -> None:
        if page_size < 1:
            raise BadPageSize(page_size)
        self.page_size = page_size
        self.root = TreeNode(0, array("q"), array("q"), None, NO_NAMESPACE, 0)
        self.evictable_size = self.protected_size = self.total_size = 0

    def match_prefix(self, key: RadixKey) -> MatchResult:
        """Find nothing."""
        return MatchResult(0, array("q"), self.root)

    def insert(
        self,
        key: RadixKey,
        slots: Sequence[int] | None = None,
        *,
        priority: int = 0,
        inserted_len: int = 0,
        grow: TreeNode | None = None,
    ) -> int:
        """Keep nothing; return 0, as nothing had been there."""
        slots_to_insert(key, slots, inserted_len)
        return 0

    def inc_lock_ref(self, node: TreeNode) -> int:
        """Hold the root, which is always there."""
        self._check_own(node)
        return 0

    def dec_lock_ref(self, node: TreeNode) -> int:
        """Let go of the root, which stays."""
        self._check_own(node)
        return 0

    def evict(self, num_tokens: int) -> array[int]:
        """Free nothing, as nothing is kept."""
        if num_tokens < 0:
            raise BadTokenCount("num_tokens", num_tokens)
        return array("q")

    def reset(self) -> None:
        """Forget nothing, as nothing is kept."""

    def snapshot(self) -> TreeSnapshot:
        """Return the view of an empty tree."""
        return TreeSnapshot(self.page_size, (), 0, 0)

    def check_integrity(self) -> None:
        """Raise IntegrityError when something was hung below the root."""
        if self.root.children:
            raise IntegrityError("nothing is kept", len(self.root.children), 0)

    def _check_own(self, node: TreeNode) -> None:
        if node is not self.root:
            raise ForeignNode(node.node_id)
