"""What the tests of the player share."""

from __future__ import annotations

import pytest

from radixviz.model.loader import load
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.timeline import Timeline
from radixviz.tour import play_on_model


@pytest.fixture(scope="session")
def tour() -> Timeline:
    """The nine stages on the shipped model."""
    return play_on_model(load_scenario(find_scenario("nine-stages")), load("tiny"))
