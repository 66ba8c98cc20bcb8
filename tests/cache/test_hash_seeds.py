"""The same operations give the same bytes in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUN = """
from random import Random
from radixviz.cache.block_cache import BlockCache
from radixviz.cache.key import RadixKey
from radixviz.cache.kv_event_maps import sglang_maps, vllm_maps
from radixviz.cache.kv_events import KVEventLog
from radixviz.cache.radix_cache import RadixCache

log, random = KVEventLog(2), Random(0)
caches = [RadixCache(2, policy, emit=log.note if policy == "lru" else None) for policy in ("lru", "mru", "slru")]
caches.append(BlockCache(2))
for _ in range(300):
    key = RadixKey([random.randrange(3) for _ in range(12)], random.choice((None, "", "a")), adapter="b")
    number = random.randrange(9)
    for cache in caches:
        cache.insert(key)
        cache.evict(number)
print([cache.snapshot() for cache in caches], [cache.eviction_order() for cache in caches[:-1]])
events = log.take()
print(sglang_maps(events), vllm_maps(events))
"""


def output(seed: str) -> bytes:
    """Run the operations in a process with this hash seed; return what they print."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", RUN]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True).stdout


def test_a15_hash_seeds() -> None:
    """A15: trees, orders of eviction, hashes and events do not depend on how Python hashes strings."""
    first = output("1")
    assert first == output("random")
    assert first.count(b"NodeView") > 100
