from __future__ import annotations

import pytest

from radixviz.scenario.schema import Scenario
from radixviz.ui.position import Notice
from radixviz.ui.settings import Settings, find_settings, find_story


@pytest.mark.parametrize(
    ("page_size", "pool", "found"),
    [
        (None, None, Settings()),
        ("4", None, Settings(page_size=4)),
        ("16", "40", Settings(page_size=16, pool_pages=40)),
        (None, "2000", Settings(pool_pages=2000)),
    ],
)
def test_an_address_may_set_page_size_and_pool(
    scenario: Scenario, page_size: str | None, pool: str | None, found: Settings
) -> None:
    """Numbers within the limits are taken as they are."""
    assert find_settings("tiny", page_size, pool, scenario) == (found, ())


@pytest.mark.parametrize("asked", ["abc", "", "0", "-3", "1.5", "301", "9" * 5000, "<b>"])
def test_a_bad_page_size_is_the_scenario_s_own(scenario: Scenario, asked: str) -> None:
    """With a word that names the value and the limits."""
    notice = Notice("notice.page_size", {"asked": asked, "limit": 300, "shown": 1})
    assert find_settings(None, asked, None, scenario) == (Settings(), (notice,))


@pytest.mark.parametrize(
    ("page_size", "asked", "limit"), [(None, "0", 2000), (None, "2001", 2000), ("100", "201", 200), ("100", "x", 200)]
)
def test_a_bad_pool_is_the_scenario_s_own(scenario: Scenario, page_size: str | None, asked: str, limit: int) -> None:
    """Its limit is in pages, and with large pages in tokens."""
    found, notices = find_settings(None, page_size, asked, scenario)
    assert found.pool_pages is None
    assert notices == (Notice("notice.pool", {"asked": asked, "limit": limit}),)


def test_an_unknown_model_or_scenario_is_the_tour(scenario: Scenario) -> None:
    """No file is looked for: only shipped names count."""
    model = Notice("notice.model", {"asked": "/etc", "shown": "tiny"})
    assert find_settings("/etc", None, None, scenario) == (Settings(), (model,))
    assert find_settings("smollm2", None, None, scenario)[0] == Settings(), "it is not played here unasked"
    assert find_story("../x") == ("nine-stages", Notice("notice.scenario", {"asked": "../x", "shown": "nine-stages"}))
    assert find_story(None) == find_story("nine-stages") == ("nine-stages", None)
