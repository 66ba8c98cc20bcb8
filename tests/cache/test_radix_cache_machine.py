"""RadixCache against a list of whole sequences, under random operations."""

from __future__ import annotations

import itertools

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from radixviz.cache.key import RadixKey
from radixviz.cache.node import TreeNode
from radixviz.cache.radix_cache import RadixCache
from radixviz.cache.snapshot import NodeView, TreeSnapshot

Prefix = tuple[str | None, tuple[int, ...]]
"""Namespace and tokens from the start: what a stored page is known by."""

TOKENS = st.lists(st.integers(0, 1), max_size=12).map(tuple)
NAMESPACES = st.sampled_from([None, None, None, ""])


def worst_leaves(tree: TreeSnapshot, num_tokens: int) -> list[int]:
    """Return the slots of the leaves that least recent use gives up for `num_tokens`, by looking at all of them."""
    left: dict[int, NodeView] = {node.node_id: node for node in tree.nodes}
    freed: list[int] = []
    while len(freed) < num_tokens:
        parents = {node.parent_id for node in left.values()}
        leaves = [node for node in left.values() if node.node_id not in parents and node.lock_ref == 0]
        if not leaves:
            break
        worst = min(leaves, key=lambda node: (node.last_access, node.node_id))
        freed += left.pop(worst.node_id).slots
    return freed


class CacheMachine(RuleBasedStateMachine):
    """Keeps every stored page by the whole prefix that it ends, with the slots of whoever stored it first."""

    @initialize(page_size=st.sampled_from([1, 2, 4]))
    def make(self, page_size: int) -> None:
        """Start with an empty cache."""
        self.page_size = page_size
        self.cache = RadixCache(page_size)
        self.stored: dict[Prefix, list[int]] = {}
        self.held: list[tuple[TreeNode, Prefix]] = []
        self.fresh_pages = itertools.count(1)

    def pages(self, prefix: Prefix) -> list[Prefix]:
        """Return the prefixes that end where the whole pages of this one end."""
        namespace, tokens = prefix
        ends = range(self.page_size, len(tokens) + 1, self.page_size)
        return [(namespace, tokens[:end]) for end in ends]

    def known(self, prefix: Prefix) -> int:
        """Return the length of the longest stored prefix, by trying all."""
        return max((len(page[1]) for page in self.pages(prefix) if page in self.stored), default=0)

    def held_pages(self) -> set[Prefix]:
        """Return every page that somebody holds."""
        return {page for _, prefix in self.held for page in self.pages(prefix)}

    def held_tokens(self) -> int:
        """Return how many tokens somebody holds."""
        return len(self.held_pages()) * self.page_size

    @rule(namespace=NAMESPACES, tokens=TOKENS, grow=st.booleans())
    def insert(self, namespace: str | None, tokens: tuple[int, ...], grow: bool) -> None:
        """What was there keeps its slots; the rest is stored under the new ones."""
        key, size = RadixKey(tokens, namespace), self.page_size
        slots = [next(self.fresh_pages) * size + offset for _ in range(0, len(tokens), size) for offset in range(size)]
        leaf = self.cache.match_prefix(key).node if grow else None
        edge, expected = len(leaf.key) if leaf else 0, self.known((namespace, tokens))
        assert self.cache.insert(key, slots[: len(tokens)], grow=leaf) == expected
        for page in self.pages((namespace, tokens)):
            self.stored.setdefault(page, slots[len(page[1]) - size : len(page[1])])
        if leaf and len(leaf.key) > edge:  # it has grown: whoever holds it holds more
            holders = [n for n, (node, _) in enumerate(self.held) if node is leaf]
            assert len(holders) <= 1
            for n in holders:
                self.held[n] = (leaf, (namespace, tokens))

    @rule(namespace=NAMESPACES, tokens=TOKENS)
    def match(self, namespace: str | None, tokens: tuple[int, ...]) -> None:
        """A look-up gives the longest stored prefix and the first writer's slots."""
        length = self.known((namespace, tokens))
        slots = [slot for page in self.pages((namespace, tokens[:length])) for slot in self.stored[page]]
        match = self.cache.match_prefix(RadixKey(tokens, namespace))
        assert (match.prefix_len, match.slots.tolist()) == (length, slots)

    @rule(namespace=NAMESPACES, tokens=TOKENS)
    def lock(self, namespace: str | None, tokens: tuple[int, ...]) -> None:
        """Holding moves what nobody held from evictable to protected."""
        match, before = self.cache.match_prefix(RadixKey(tokens, namespace)), self.held_tokens()
        self.held.append((match.node, (namespace, tokens[: match.prefix_len])))
        assert self.cache.inc_lock_ref(match.node) == before - self.held_tokens()

    @precondition(lambda self: self.held)
    @rule(choice=st.integers(0, 99))
    def unlock(self, choice: int) -> None:
        """Letting go moves back what nobody else holds."""
        before = self.held_tokens()
        node, _ = self.held.pop(choice % len(self.held))
        assert self.cache.dec_lock_ref(node) == before - self.held_tokens()

    @rule(num_tokens=st.integers(0, 9))
    def evict(self, num_tokens: int) -> None:
        """The least recently used leaves go, whole, and nothing that is held or that holds others up."""
        expected = worst_leaves(self.cache.snapshot(), num_tokens)
        assert self.cache.evict(num_tokens).tolist() == expected
        gone = set(expected)
        self.stored = {page: slots for page, slots in self.stored.items() if gone.isdisjoint(slots)}
        assert self.held_pages() <= self.stored.keys()
        assert all(above in self.stored for page in self.stored for above in self.pages(page))

    @rule()
    def evict_all(self) -> None:
        """Everything that nobody holds can go."""
        held = self.held_pages()
        assert len(self.cache.evict(1 << 30)) == (len(self.stored) - len(held)) * self.page_size
        self.stored = {page: self.stored[page] for page in held}

    @invariant()
    def sizes_and_structure(self) -> None:
        """The sizes are those of the list, every slot is in the tree once, and the tree's own check agrees."""
        if not hasattr(self, "cache"):
            return
        self.cache.check_integrity()
        held = self.held_tokens()
        evictable = len(self.stored) * self.page_size - held
        assert (self.cache.evictable_size, self.cache.protected_size) == (evictable, held)
        assert self.cache.total_size == evictable + held
        slots = [slot for node in self.cache.snapshot().nodes for slot in node.slots]
        assert sorted(slots) == sorted(slot for page in self.stored.values() for slot in page)


TestCacheMachine = CacheMachine.TestCase
TestCacheMachine.settings = settings(
    max_examples=50,
    stateful_step_count=30,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
