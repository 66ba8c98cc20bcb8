from __future__ import annotations

from hashlib import sha256

import pytest

from benchmarks.cache_life_cycle import LifeCycle
from benchmarks.cache_workload import CacheWorkload
from benchmarks.radixviz_core import RadixvizCore


def test_the_workload_is_always_the_same() -> None:
    """The first 300 requests are the same tokens at every run, so figures of different days can be compared."""
    digest, prompt_tokens = sha256(), 0
    for exchange in CacheWorkload().requests(300):
        digest.update(exchange.prompt.tobytes() + exchange.reply.tobytes())
        prompt_tokens += len(exchange.prompt)
    assert prompt_tokens == 298_350
    assert digest.hexdigest() == "6de89fc71074a8943fe990e6bc30903c04fc362dc3e9d4e9a8400a88e4af45ac"


@pytest.mark.parametrize(("page_size", "hit_tokens"), [(1, 79_360), (16, 78_560)])
def test_the_life_cycle_keeps_every_page(page_size: int, hit_tokens: int) -> None:
    """After the last request nothing is held, every page is free or in the tree, and telling events changes nothing."""
    outcomes = []
    for events in (False, True):
        core = RadixvizCore(page_size, 40_000, events=events)
        outcome = LifeCycle(core).run(CacheWorkload().requests(200))
        core.cache.check_integrity()
        assert (core.cache.protected_size, core.room() + core.cache.total_size) == (0, 40_000)
        outcomes.append((outcome.requests, outcome.prompt_tokens, outcome.hit_tokens))
    assert outcomes == [(200, 194_195, hit_tokens)] * 2
