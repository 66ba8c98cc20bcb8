"""PrefixHistory: exactly the beginnings that were stored and are gone."""

from __future__ import annotations

from radixviz.cache.key import RadixKey
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.prefix_history import EvictedEdge, PrefixHistory
from radixviz.events import NO_NAMESPACE

TENANT = (None, None, "salt", None)


def _observed() -> tuple[RadixCache, PrefixHistory]:
    history = PrefixHistory()
    return RadixCache(emit=history.note), history


def test_nothing_is_gone_before_an_eviction() -> None:
    """What is in the tree, and what never was, is not "evicted before"."""
    cache, history = _observed()
    cache.insert(RadixKey([1, 2, 3]))

    assert history.evicted_before(NO_NAMESPACE, [1, 2, 3, 4]) == (False, False, False, False)


def test_an_evicted_tail_is_gone_and_its_shared_beginning_is_not() -> None:
    """A split and two evictions are followed: only what left the tree counts as gone."""
    cache, history = _observed()
    cache.insert(RadixKey([1, 2, 3, 4]))
    cache.insert(RadixKey([1, 2, 9]))
    cache.evict(1)

    assert history.evicted_before(NO_NAMESPACE, [1, 2, 3, 4, 5]) == (False, False, True, True, False)
    assert history.evicted_edge(NO_NAMESPACE, [1, 2, 3, 4, 5], 2) == EvictedEdge(1, (3, 4))
    assert history.evicted_edge(NO_NAMESPACE, [1, 2, 8], 2) is None


def test_what_is_stored_again_is_no_longer_gone() -> None:
    """Computing an evicted beginning again takes it off the list."""
    cache, history = _observed()
    cache.insert(RadixKey([1, 2, 3]))
    cache.evict(3)
    cache.insert(RadixKey([1, 2]))

    assert history.evicted_before(NO_NAMESPACE, [1, 2, 3]) == (False, False, True)


def test_growth_and_namespaces_are_followed() -> None:
    """A grown edge is gone as a whole, in its own namespace only."""
    cache, history = _observed()
    cache.insert(RadixKey([1, 2], cache_salt="salt"))
    leaf = cache.match_prefix(RadixKey([1, 2], cache_salt="salt")).node
    cache.insert(RadixKey([1, 2, 3], cache_salt="salt"), grow=leaf)
    cache.evict(1)

    assert history.evicted_before(TENANT, [1, 2, 3]) == (True, True, True)
    assert history.evicted_before(NO_NAMESPACE, [1, 2, 3]) == (False, False, False)
    assert history.evicted_edge(TENANT, [1, 2, 3], 0) == EvictedEdge(1, (1, 2, 3))


def test_a_reset_forgets_every_node() -> None:
    """After a reset everything that was stored is gone."""
    cache, history = _observed()
    cache.insert(RadixKey([1, 2]))
    cache.reset()

    assert history.evicted_before(NO_NAMESPACE, [1, 2]) == (True, True)
