"""Calling requests off, and dropping the tree."""

from __future__ import annotations

import pytest

from radixviz.engine.batching import Batching
from radixviz.errors import ResetRefused
from radixviz.events import SequenceCancelled
from radixviz.render.explain import explain
from tests.engine.serving import Serving


@pytest.mark.parametrize("page_size", [1, 4])
@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("steps", [0, 1, 3])
def test_a_cancelled_request_holds_nothing(page_size: int, samples: int, steps: int) -> None:
    """Waiting or running, one sample or three: all its pages and locks are free, and another request goes on."""
    serving = Serving(64, page_size)
    serving.submit("a", range(6), 9, samples=samples)
    serving.step(steps)
    serving.submit("b", range(6), 3)
    assert serving.engine.cancel("a")
    serving.engine.check_integrity()
    existing = 1 if steps == 0 else samples
    names = ["a"] if samples == 1 else ["a#1", "a#2", "a#3"][:existing]
    assert [event.sequence_id for event in serving.told(SequenceCancelled)] == names
    assert not serving.engine.cancel("a")
    serving.run_until_idle()
    assert len(serving["b"].output_ids) == 3
    assert serving.cache.protected_size == 0
    assert serving.pool.free_pages * page_size + serving.cache.total_size == 64 * page_size


def test_a_reset_is_refused_while_requests_run() -> None:
    """With one running and one waiting the tree stays as it is; when both are done nothing is left in it."""
    serving = Serving(64, batching=Batching(1))
    serving.submit("a", range(6), 3)
    serving.submit("b", range(6), 3)
    serving.step()
    before = serving.tree("lock_ref")
    with pytest.raises(ResetRefused) as caught:
        serving.engine.reset()
    assert caught.value.facts() == {"running": 1, "waiting": 1}
    assert explain(caught.value, "en") == (
        "The cache was not reset: sequences running 1, waiting 1, but both must be 0."
    )
    assert explain(caught.value, "zh") == "缓存没有重置：还有 1 个序列在运行、1 个在等待，两者都必须为 0。"
    assert serving.tree("lock_ref") == before
    serving.run_until_idle()
    serving.engine.reset()
    serving.engine.check_integrity()
    assert serving.pool.free_pages == 64
    assert serving.run("c", range(6), 1).cached_tokens == 0
