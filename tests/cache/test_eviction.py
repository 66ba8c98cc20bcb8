from __future__ import annotations

import pytest

from radixviz.cache.eviction import LeastRecentlyUsed, eviction_policies, eviction_policy
from radixviz.errors import UnknownPolicy


def test_policies_know_their_names() -> None:
    """Each policy is found under the name that it has."""
    assert {name: make().name for name, make in eviction_policies().items()} == {"lru": "lru"}
    assert isinstance(eviction_policy("lru"), LeastRecentlyUsed)


@pytest.mark.parametrize("name", ["LRU", "", "newest"])
def test_unknown_policy(name: str) -> None:
    """Names are exact, and an unknown one is refused with the known ones."""
    with pytest.raises(UnknownPolicy) as raised:
        eviction_policy(name)
    assert raised.value.facts() == {"name": name, "known": ("lru",)}
