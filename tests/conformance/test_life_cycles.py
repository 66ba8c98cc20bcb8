"""L1 to L3: the life of requests as SGLang 0.5.23 has it, on an engine without a model.

A comes with a prompt of 40 tokens, B with the same one after A's prefill; both get 10 tokens. The second turn is that
prompt, those 10 tokens and 3 new ones; then the same prompt of 53 comes again.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.conformance.rows import shows
from tests.engine.serving import Serving, say

PROMPT = tuple(range(40))
TURN_2 = (*PROMPT, *(say("A", number) for number in range(10)), 50, 51, 52)
POOL_TOKENS = 160


@dataclass(frozen=True)
class LifeCycle:
    """A row: the page size, and what must be seen in the order of time. Freed: who, how many pages, why."""

    name: str
    page_size: int
    tree_after_prefill: int
    b_cached: int
    b_freed_after_prefill: list[tuple[str, int, str]]
    finish_freed: list[tuple[str, int, str]]
    tree_after_finish: int
    turn_2_cached: int
    again_cached: int


LIFE_CYCLES = [
    LifeCycle(
        name="L1",
        page_size=1,
        tree_after_prefill=40,
        b_cached=39,
        b_freed_after_prefill=[("B", 1, "duplicate")],
        finish_freed=[("B", 9, "duplicate")],
        tree_after_finish=49,
        turn_2_cached=49,
        again_cached=52,
    ),
    LifeCycle(
        name="L2",
        page_size=4,
        tree_after_prefill=40,
        b_cached=36,
        b_freed_after_prefill=[("B", 1, "duplicate")],
        finish_freed=[("A", 1, "tail"), ("B", 2, "duplicate"), ("B", 1, "tail")],
        tree_after_finish=48,
        turn_2_cached=48,
        again_cached=52,
    ),
    LifeCycle(
        name="L3",
        page_size=16,
        tree_after_prefill=32,
        b_cached=32,
        b_freed_after_prefill=[],
        finish_freed=[("A", 1, "tail"), ("B", 1, "duplicate"), ("B", 1, "tail")],
        tree_after_finish=48,
        turn_2_cached=48,
        again_cached=48,
    ),
]


@shows("L1", "L2", "L3")
@pytest.mark.parametrize("row", LIFE_CYCLES, ids=lambda row: row.name)
def test_life_cycle(row: LifeCycle) -> None:
    """What is reused, freed and kept at each point of the requests' lives is what SGLang has."""
    serving = Serving(POOL_TOKENS // row.page_size, row.page_size, turn_as_one_edge=False)
    serving.submit("A", PROMPT, 10)
    serving.step()
    a_cached, tree_after_prefill, a_freed = serving["A"].cached_tokens, serving.cache.total_size, serving.freed()
    serving.submit("B", PROMPT, 10)
    serving.step()
    b_cached, b_freed = serving["B"].cached_tokens, serving.freed()
    serving.run_until_idle()
    finish_freed, tree_after_finish = serving.freed(), serving.cache.total_size
    turn_2 = serving.run("turn 2", TURN_2, 5)
    again = serving.run("again", TURN_2, 5)
    assert (a_cached, a_freed) == (0, [])
    found = LifeCycle(
        row.name,
        row.page_size,
        tree_after_prefill,
        b_cached,
        b_freed,
        finish_freed,
        tree_after_finish,
        turn_2.cached_tokens,
        again.cached_tokens,
    )
    assert found == row
    assert serving.pool.free_pages * row.page_size + serving.cache.total_size == POOL_TOKENS
