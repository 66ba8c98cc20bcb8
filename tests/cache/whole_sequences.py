"""A cache that is checked at every call against a list of whole sequences."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

from radixviz.cache.key import RadixKey
from radixviz.cache.node import TreeNode
from radixviz.cache.radix_cache import RadixCache
from radixviz.cache.snapshot import NodeView, TreeSnapshot

Tokens = tuple[int, ...]
Prefix = tuple[str | None, Tokens]
"""Extra key and tokens from the start: what a stored page is known by."""

WORST: dict[str, Callable[[NodeView], tuple[int, ...]]] = {
    "lru": lambda leaf: (leaf.last_access,),
    "lfu": lambda leaf: (leaf.hit_count, leaf.last_access),
    "fifo": lambda leaf: (leaf.created,),
    "mru": lambda leaf: (-leaf.last_access, -leaf.node_id),
    "filo": lambda leaf: (-leaf.created,),
    "slru": lambda leaf: (int(leaf.hit_count > 1), leaf.last_access),
    "priority": lambda leaf: (leaf.priority, leaf.last_access),
}


def worst_leaves(tree: TreeSnapshot, policy: str, num_tokens: int) -> list[int]:
    """Return the slots of the leaves that a policy gives up for `num_tokens`, by looking at all of them each time."""
    left: dict[int, NodeView] = {node.node_id: node for node in tree.nodes}
    freed: list[int] = []
    while len(freed) < num_tokens:
        parents = {node.parent_id for node in left.values()}
        leaves = [node for node in left.values() if node.node_id not in parents and node.lock_ref == 0]
        if not leaves:
            break
        worst = min(leaves, key=lambda leaf: (WORST[policy](leaf), leaf.node_id))
        freed += left.pop(worst.node_id).slots
    return freed


class WholeSequences:
    """Keeps every stored page by the whole prefix that it ends, with the slots of whoever stored it first."""

    def __init__(self, page_size: int, policy: str) -> None:
        self.page_size, self.policy = page_size, policy
        self.cache = RadixCache(page_size, policy)
        self.stored: dict[Prefix, list[int]] = {}
        self.held: list[tuple[TreeNode, Prefix]] = []
        self._holders = Counter[Prefix]()
        self._fresh_pages = itertools.count(1)

    def insert(self, prefix: Prefix, *, grow: bool = False, priority: int = 0, inserted_len: int = 0) -> None:
        """What was there keeps its slots; the rest is stored under the new ones."""
        extra_key, tokens = prefix
        key, size = RadixKey(tokens, extra_key), self.page_size
        slots = [next(self._fresh_pages) * size + offset for _ in range(0, len(tokens), size) for offset in range(size)]
        leaf = self.cache.match_prefix(key).node if grow else None
        edge, expected = len(leaf.key) if leaf else 0, self._known(prefix)
        there = self.cache.insert(key, slots[: len(tokens)], priority=priority, inserted_len=inserted_len, grow=leaf)
        assert there == expected
        for page in self._pages(prefix):
            self.stored.setdefault(page, slots[len(page[1]) - size : len(page[1])])
        if leaf and len(leaf.key) > edge:  # it has grown: whoever holds it holds more
            self._hold_more(leaf, prefix)

    def match(self, prefix: Prefix) -> TreeNode:
        """A look-up gives the longest stored prefix and the first writer's slots."""
        extra_key, tokens = prefix
        length = self._known(prefix)
        slots = [slot for page in self._pages((extra_key, tokens[:length])) for slot in self.stored[page]]
        match = self.cache.match_prefix(RadixKey(tokens, extra_key))
        assert (match.prefix_len, match.slots.tolist()) == (length, slots)
        return match.node

    def lock(self, prefix: Prefix) -> None:
        """Holding moves what nobody held from evictable to protected."""
        extra_key, tokens = prefix
        node, before = self.match(prefix), len(self._holders)
        self.held.append((node, (extra_key, tokens[: self._known(prefix)])))
        self._holders.update(self._pages(self.held[-1][1]))
        assert self.cache.inc_lock_ref(node) == (before - len(self._holders)) * self.page_size

    def unlock(self, choice: int) -> None:
        """Letting go moves back what nobody else holds."""
        before = len(self._holders)
        node, prefix = self.held.pop(choice % len(self.held))
        self._holders = +(self._holders - Counter(self._pages(prefix)))
        assert self.cache.dec_lock_ref(node) == (before - len(self._holders)) * self.page_size

    def evict(self, num_tokens: int) -> None:
        """The worst leaves go, whole, and nothing that is held or that holds others up."""
        expected = worst_leaves(self.cache.snapshot(), self.policy, num_tokens)
        assert self.cache.evict(num_tokens).tolist() == expected
        gone = set(expected)
        self.stored = {page: slots for page, slots in self.stored.items() if gone.isdisjoint(slots)}
        assert self._holders.keys() <= self.stored.keys()
        assert all(above in self.stored for page in self.stored for above in self._pages(page))

    def reset(self) -> None:
        """Nothing is stored or held after a reset."""
        self.cache.reset()
        self.stored, self.held, self._holders = {}, [], Counter()

    def check(self) -> None:
        """The sizes are those of the list, every slot is in the tree once, and the tree's own check agrees."""
        self.cache.check_integrity()
        held = len(self._holders) * self.page_size
        evictable = len(self.stored) * self.page_size - held
        assert (self.cache.evictable_size, self.cache.protected_size) == (evictable, held)
        slots = [slot for node in self.cache.nodes() for slot in node.value]
        assert sorted(slots) == sorted(slot for page in self.stored.values() for slot in page)

    def _pages(self, prefix: Prefix) -> list[Prefix]:
        """Return the prefixes that end where the whole pages of this one end."""
        extra_key, tokens = prefix
        return [(extra_key, tokens[:end]) for end in range(self.page_size, len(tokens) + 1, self.page_size)]

    def _known(self, prefix: Prefix) -> int:
        """Return the length of the longest stored prefix, by trying all."""
        return max((len(page[1]) for page in self._pages(prefix) if page in self.stored), default=0)

    def _hold_more(self, leaf: TreeNode, prefix: Prefix) -> None:
        holders = [n for n, (node, _) in enumerate(self.held) if node is leaf]
        assert len(holders) <= 1
        for n in holders:
            _, tokens = self.held[n][1]
            self._holders.update(page for page in self._pages(prefix) if len(page[1]) > len(tokens))
            self.held[n] = (leaf, prefix)
