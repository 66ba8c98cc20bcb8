"""What the tests of the player share."""

from __future__ import annotations

from pathlib import Path

import pytest

from radixviz.introduction import player_intro
from radixviz.model.folder import TINY, locate
from radixviz.model.loader import load
from radixviz.model.tokenizer import TextTokenizer
from radixviz.render.export.standalone import standalone_html
from radixviz.render.layout import find_engine
from radixviz.render.player_data import player_data
from radixviz.scenario.dry_run import dry_run
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.timeline import Timeline
from radixviz.tour import play_on_model


@pytest.fixture(scope="session")
def tour() -> Timeline:
    """The nine stages on the shipped model."""
    return play_on_model(load_scenario(find_scenario("nine-stages")), load("tiny"))


@pytest.fixture(scope="session")
def tour_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write the tour, as the engine plays it with the replies that the tiny model was taught; return the address."""
    scenario = load_scenario(find_scenario("nine-stages"))
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    told = dry_run(scenario, tokenizer, page_size=scenario.page_size, pool_pages=scenario.pool_pages)
    path: Path = tmp_path_factory.mktemp("九步") / "tour 导览.html"
    data = player_data(told, find_engine(), player_intro(scenario, tokenizer))
    path.write_text(standalone_html(data, "zh"), encoding="utf-8")
    return path.as_uri()
