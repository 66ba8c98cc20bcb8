"""The engine's benchmark: its shares are those of one whole."""

from __future__ import annotations

import pytest

from benchmarks.engine import shares
from radixviz.model.loader import load


@pytest.mark.parametrize("page_size", [1, 16])
def test_the_parts_are_the_whole(page_size: int) -> None:
    """Model, cache and pool, and the engine's own add up to one run, and most of it is the model's."""
    found = shares(load("tiny"), page_size, 0, requests=2)
    assert list(found) == ["model", "cache and pool", "engine's own"]
    assert sum(found.values()) == pytest.approx(1)
    assert found["model"] > 0.5
