from __future__ import annotations

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.no_cache import NoCache
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import BadPageSize, BadTokenCount, ForeignNode, IntegrityError, SlotCountMismatch


def test_nothing_is_kept() -> None:
    """What was inserted is not found, can be held by nobody, and frees nothing."""
    cache = NoCache(4)
    assert cache.insert(RadixKey([1, 2, 3, 4]), [4, 5, 6, 7]) == 0
    match = cache.match_prefix(RadixKey([1, 2, 3, 4]))
    assert (match.prefix_len, match.slots.tolist(), match.node is cache.root) == (0, [], True)
    assert (cache.inc_lock_ref(match.node), cache.dec_lock_ref(match.node), cache.evict(9).tolist()) == (0, 0, [])
    cache.reset()
    cache.check_integrity()
    assert (cache.snapshot().nodes, cache.total_size, cache.evictable_size, cache.protected_size) == ((), 0, 0, 0)


def test_misuse() -> None:
    """Wrong calls have the errors of the other caches."""
    cache = NoCache()
    with pytest.raises(SlotCountMismatch):
        cache.insert(RadixKey([1]), [])
    with pytest.raises(ForeignNode):
        cache.inc_lock_ref(RadixCache().root)
    with pytest.raises(ForeignNode):
        cache.dec_lock_ref(RadixCache().root)
    with pytest.raises(BadTokenCount):
        cache.evict(-1)
    with pytest.raises(BadPageSize):
        NoCache(0)


def test_something_below_the_root() -> None:
    """The check sees what should not be there."""
    cache = NoCache()
    cache.root.children[1] = cache.root
    with pytest.raises(IntegrityError, match="nothing is kept"):
        cache.check_integrity()
