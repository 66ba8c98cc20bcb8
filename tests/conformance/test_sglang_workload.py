"""C: 20,000 requests, 16 in flight, leave the same figures behind as on four implementations of SGLang."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import pytest

from benchmarks.cache_life_cycle import LifeCycle
from benchmarks.cache_workload import CacheWorkload
from benchmarks.radixviz_core import RadixvizCore
from tests.conformance.rows import shows

PROMPT_TOKENS = 26_116_488


@dataclass(frozen=True)
class Fingerprint:
    """What the workload leaves behind; `nodes` counts the root."""

    name: str
    page_size: int
    capacity: int
    hit_tokens: int
    evictions: int
    asked: int
    evicted: int
    nodes: int
    leaves: int
    tokens: int


FINGERPRINTS = [
    Fingerprint("C page_1_small", 1, 200_000, 18_521_978, 8_962, 4_496_206, 8_423_816, 468, 329, 199_452),
    Fingerprint("C page_1_large", 1, 1_000_000, 23_188_392, 11_109, 1_772_998, 3_487_386, 4_191, 2_299, 999_698),
    Fingerprint("C page_16_small", 16, 200_000, 18_390_256, 8_936, 4_527_712, 8_409_840, 469, 329, 198_848),
    Fingerprint("C page_16_large", 16, 1_000_000, 23_042_128, 11_084, 1_870_208, 3_483_232, 4_196, 2_307, 999_632),
]


class CountingCore(RadixvizCore):
    """Counts what is asked of eviction and what it gives."""

    evictions = asked = evicted = 0

    def evict(self, tokens: int) -> array[int]:
        """Evict, and count."""
        freed = super().evict(tokens)
        self.evictions, self.asked, self.evicted = self.evictions + 1, self.asked + tokens, self.evicted + len(freed)
        return freed


@pytest.mark.deep
@shows(*(row.name for row in FINGERPRINTS))
@pytest.mark.parametrize("row", FINGERPRINTS, ids=lambda row: row.name)
def test_fingerprint(row: Fingerprint) -> None:
    """Hits, evictions and the final tree are those of SGLang, to the last token."""
    core = CountingCore(row.page_size, row.capacity)
    outcome = LifeCycle(core).run(CacheWorkload().requests(20_000))
    core.cache.check_integrity()
    nodes = list(core.cache.nodes())
    found = Fingerprint(
        row.name,
        row.page_size,
        row.capacity,
        outcome.hit_tokens,
        core.evictions,
        core.asked,
        core.evicted,
        len(nodes) + 1,
        sum(not node.children for node in nodes),
        core.cache.total_size,
    )
    assert (found, outcome.prompt_tokens) == (row, PROMPT_TOKENS)
