"""What an engine refuses, with nothing changed."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from radixviz.engine.request import Request
from radixviz.errors import (
    BadTemperature,
    BadTokenCount,
    BadTokenId,
    DuplicateRequest,
    EmptyPrompt,
    PromptTooLong,
    RadixVizError,
    RequestTooLarge,
)
from tests.engine.serving import Serving


@pytest.mark.parametrize(
    ("request_", "error", "facts"),
    [
        (Request("r", (), 1), EmptyPrompt, {"request": "r"}),
        (Request("old", (1,), 1), DuplicateRequest, {"request": "old"}),
        (Request("old", (1,), 1, samples=2), DuplicateRequest, {"request": "old"}),
        (Request("group", (1,), 1), DuplicateRequest, {"request": "group"}),
        (Request("group#2", (1,), 1), DuplicateRequest, {"request": "group#2"}),
        (Request("group#1", (1,), 1, samples=3), DuplicateRequest, {"request": "group#1"}),
        (Request("r", (1,), 0), BadTokenCount, {"name": "max_new_tokens", "value": 0}),
        (Request("r", (1,), 1, samples=0), BadTokenCount, {"name": "samples", "value": 0}),
        (Request("r", (1,), 2, samples=2, sample_limits=(1, 0)), BadTokenCount, {"name": "sample_limits", "value": 0}),
        (Request("r", (1,), 1, temperature=-0.1), BadTemperature, {"request": "r", "value": -0.1}),
        (Request("r", (1,), 1, temperature=inf), BadTemperature, {"request": "r", "value": inf}),
        (Request("r", (1, 1 << 63), 1), BadTokenId, {"value": 1 << 63, "position": 1, "limit": None}),
        (Request("r", (1, 1 << 32), 1), BadTokenId, {"value": 1 << 32, "position": 1, "limit": (1 << 32) - 1}),
        (Request("r", (-1,), 1), BadTokenId, {"value": -1, "position": 0, "limit": (1 << 32) - 1}),
        (Request("r", (1,) * 30, 11), PromptTooLong, {"request": "r", "tokens": 41, "limit": 40}),
        (Request("r", (1,) * 31, 3), RequestTooLarge, {"request": "r", "pages": 9, "limit": 8}),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_refused(request_: Request, error: type[RadixVizError], facts: dict[str, Any]) -> None:
    """The error carries its facts; nothing is told, queued or remembered."""
    serving = Serving(8, 4, max_positions=40)
    serving.run("old", [1, 2, 3], 1)
    serving.submit("group", [4, 5], 1, samples=3)
    before = (list(serving.events), list(serving.engine.sequences), serving.engine.waiting)
    with pytest.raises(error) as raised:
        serving.engine.submit(request_)
    assert raised.value.facts() == facts
    assert (serving.events, list(serving.engine.sequences), serving.engine.waiting) == before


def test_no_number_is_no_temperature() -> None:
    """Not a number is refused too; it is not even equal to itself."""
    serving = Serving(8)
    with pytest.raises(BadTemperature):
        serving.engine.submit(Request("r", (1,), 1, temperature=nan))
    assert (serving.events, serving.engine.has_work) == ([], False)


@pytest.mark.parametrize(
    "request_",
    [
        Request("r", (1,) * 30, 3),  # 32 tokens with K and V are the whole pool
        Request("r", (1,) * 8, 25),
        Request("group#4", (1,), 1),
    ],
)
def test_just_fits(request_: Request) -> None:
    """What fits the pool to the last slot is served to its end."""
    serving = Serving(8, 4, max_positions=40)
    serving.submit("group", [4, 5], 1, samples=3)
    serving.run_until_idle()
    serving.engine.submit(request_)
    serving.run_until_idle()
    assert len(serving[request_.request_id].output_ids) == request_.max_new_tokens
