from __future__ import annotations

from array import array
from collections.abc import Callable

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import IntegrityError

OTHER = (None, None, None, "other")


def made() -> RadixCache:
    """Return 1..4 {5..8, 9..12} and 1..4 of another namespace, at page size 4, with 5..8 held."""
    cache = RadixCache(4)
    cache.insert(RadixKey([1, 2, 3, 4, 5, 6, 7, 8]))
    cache.insert(RadixKey([1, 2, 3, 4, 9, 10, 11, 12]))
    cache.insert(RadixKey([1, 2, 3, 4], "other"))
    cache.inc_lock_ref(cache.match_prefix(RadixKey([1, 2, 3, 4, 5, 6, 7, 8])).node)
    return cache


def stale_parent(cache: RadixCache) -> None:
    """Let a child of the upper node believe that it hangs below the root."""
    list(cache.nodes())[1].parent = cache.root


def moved_child_key(cache: RadixCache) -> None:
    """Hold a child under a key that it does not know."""
    upper = next(cache.nodes())
    upper.children[b"elsewhere"] = upper.children.pop(next(iter(upper.children)))


def foreign_root(cache: RadixCache) -> None:
    """Let a node believe that it is in another tree."""
    next(cache.nodes()).root = RadixCache().root


def lost_slot(cache: RadixCache) -> None:
    """Drop a slot of an edge."""
    next(cache.nodes()).value.pop()


def unaligned_edge(cache: RadixCache) -> None:
    """Cut an edge within a page."""
    node = next(cache.nodes())
    node.key, node.value = node.key[:3], node.value[:3]


def empty_edge(cache: RadixCache) -> None:
    """Leave an edge without a token."""
    node = next(cache.nodes())
    node.key, node.value = array("q"), array("q")


def negative_lock(cache: RadixCache) -> None:
    """Let go once too often."""
    list(cache.nodes())[2].lock_ref = -1


def changed_first_token(cache: RadixCache) -> None:
    """Change a token by which a child is found."""
    next(cache.nodes()).key[0] = 99


def other_namespace_below(cache: RadixCache) -> None:
    """Let a branch change its namespace on the way down."""
    list(cache.nodes())[1].namespace = OTHER


def other_namespace_on_top(cache: RadixCache) -> None:
    """Give a top node with no child another namespace than the one it is found under."""
    list(cache.nodes())[3].namespace = (None, None, None, "third")


def unheld_parent(cache: RadixCache) -> None:
    """Hold a node more often than its parent: what a split that forgets lock_ref leaves."""
    next(cache.nodes()).lock_ref = 0


def evictable_too_big(cache: RadixCache) -> None:
    """Forget to count an eviction."""
    cache._evictable_size += 4


def protected_too_small(cache: RadixCache) -> None:
    """Forget to count a lock."""
    cache._protected_size -= 4


def released_root(cache: RadixCache) -> None:
    """Let go of the root."""
    cache.root.lock_ref = 0


@pytest.mark.parametrize(
    ("fault", "law"),
    [
        (stale_parent, "a child knows its parent"),
        (moved_child_key, "a child is held under its own key"),
        (foreign_root, "a child is in its parent's tree"),
        (lost_slot, "an edge has as many slots as tokens"),
        (unaligned_edge, "an edge holds whole pages"),
        (empty_edge, "an edge holds whole pages"),
        (negative_lock, "lock_ref is not negative"),
        (changed_first_token, "a child is held under its first page"),
        (other_namespace_below, "a branch is in one namespace"),
        (other_namespace_on_top, "a child is held under its namespace"),
        (unheld_parent, "a parent is held at least as often as its child"),
        (evictable_too_big, "evictable size"),
        (protected_too_small, "protected size"),
        (released_root, "the root is always held once"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_fault_is_caught(fault: Callable[[RadixCache], None], law: str) -> None:
    """A tree that is whole passes; with this one fault the check names the law that is broken."""
    cache = made()
    cache.check_integrity()
    fault(cache)
    with pytest.raises(IntegrityError) as raised:
        cache.check_integrity()
    assert raised.value.law == law
