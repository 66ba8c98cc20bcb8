"""PrefixCache: what an engine asks of a cache, whatever its data structure is."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from radixviz.cache.key import RadixKey, as_slot_array
from radixviz.cache.node import TreeNode
from radixviz.cache.snapshot import TreeSnapshot
from radixviz.errors import BadTokenCount, SlotCountMismatch


class MatchResult(NamedTuple):
    """The longest cached prefix: its length in tokens, its slots in order, and its deepest node (the root for none)."""

    prefix_len: int
    slots: array[int]
    node: TreeNode


class PrefixCache(Protocol):
    """A map from beginnings of token sequences to the slots that hold their K and V."""

    @property
    def page_size(self) -> int:
        """Prefixes are kept and found in multiples of this many tokens."""
        ...

    @property
    def evictable_size(self) -> int:
        """Tokens in nodes that nobody holds."""
        ...

    @property
    def protected_size(self) -> int:
        """Tokens in nodes that somebody holds."""
        ...

    @property
    def total_size(self) -> int:
        """Tokens in the cache."""
        ...

    def match_prefix(self, key: RadixKey) -> MatchResult:
        """Find the longest cached prefix of `key` in whole pages."""
        ...

    def insert(
        self,
        key: RadixKey,
        slots: Sequence[int] | None = None,
        *,
        priority: int = 0,
        inserted_len: int = 0,
        grow: TreeNode | None = None,
    ) -> int:
        """Put `key` and its slots into the cache; return how many tokens of it had been there already."""
        ...

    def inc_lock_ref(self, node: TreeNode) -> int:
        """Hold `node` and its ancestors; return the change of `evictable_size` (zero or negative)."""
        ...

    def dec_lock_ref(self, node: TreeNode) -> int:
        """Let go of `node` and its ancestors; return the change of `evictable_size` (zero or positive)."""
        ...

    def evict(self, num_tokens: int) -> array[int]:
        """Remove at least `num_tokens` unheld tokens, if there are as many; return the freed slots."""
        ...

    def reset(self) -> None:
        """Forget everything. Slots are not freed: that is the caller's."""
        ...

    def check_integrity(self) -> None:
        """Raise IntegrityError when a law of the data structure is broken."""
        ...

    def snapshot(self) -> TreeSnapshot:
        """Return a frozen view."""
        ...


def slots_to_insert(key: RadixKey, slots: Sequence[int] | None, inserted_len: int) -> array[int]:
    """Return the slots of what an `insert` was given, its token ids for None, if any cache may take them.

    Raises SlotCountMismatch, BadSlot, or BadTokenCount for a negative `inserted_len`.
    """
    tokens = key.token_ids
    if slots is not None and len(slots) != len(tokens):
        raise SlotCountMismatch(len(tokens), len(slots))
    if inserted_len < 0:
        raise BadTokenCount("inserted_len", inserted_len)
    return tokens if slots is None else as_slot_array(slots)
