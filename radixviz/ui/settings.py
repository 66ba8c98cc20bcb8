"""What an address says about the run: scenario, model, page size and pool, and which of them can be used."""

from __future__ import annotations

from dataclasses import dataclass

from radixviz.errors import UnknownScenario
from radixviz.model.folder import KNOWN_MODELS, TINY
from radixviz.scenario.loader import find_scenario
from radixviz.scenario.schema import Scenario
from radixviz.ui.position import Notice, whole_number
from radixviz.ui.story import NINE_STAGES

MOST_PAGES = 2_000
"""More cells than these no page map shows well."""
MOST_TOKENS = 20_000
"""A pool of these takes 60 MB with the tiny model, whoever asks for it by a link."""


@dataclass(frozen=True, slots=True)
class Settings:
    """With what the scenario is played; None is the scenario's own, or what dry runs find for that page size."""

    model: str = TINY
    page_size: int | None = None
    pool_pages: int | None = None


def find_story(asked: str | None) -> tuple[str, Notice | None]:
    """Return the name of the scenario that an address asks for, or of the tour with a notice."""
    if asked is None:
        return NINE_STAGES, None
    try:
        find_scenario(asked)
    except UnknownScenario:
        return NINE_STAGES, Notice("notice.scenario", {"asked": asked, "shown": NINE_STAGES})
    return asked, None


def find_settings(
    model: str | None, page_size: str | None, pool: str | None, scenario: Scenario
) -> tuple[Settings, tuple[Notice, ...]]:
    """Return the settings that an address asks for, the scenario's own for those that cannot be, with a notice each."""
    notices = []
    if model is not None and model not in KNOWN_MODELS:
        notices.append(Notice("notice.model", {"asked": model, "shown": TINY}))
    tokens = scenario.page_size * scenario.pool_pages
    size, notice = _in_limits("notice.page_size", page_size, tokens, scenario.page_size)
    notices += [notice] if notice else []
    most = min(MOST_PAGES, MOST_TOKENS // (size or scenario.page_size))
    pages, notice = _in_limits("notice.pool", pool, most, scenario.pool_pages)
    notices += [notice] if notice else []
    return Settings(TINY, size, pages), tuple(notices)


def _in_limits(key: str, asked: str | None, most: int, usual: int) -> tuple[int | None, Notice | None]:
    if asked is None:
        return None, None
    number = whole_number(asked)
    if number is not None and 1 <= number <= most:
        return number, None
    return None, Notice(key, {"asked": asked, "limit": most, "shown": usual})
