"""What an address says about the run: scenario, model, page size and pool, and which of them can be used."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from radixviz.errors import UnknownScenario
from radixviz.model.folder import TINY
from radixviz.scenario.loader import find_scenario
from radixviz.scenario.schema import Scenario
from radixviz.ui.position import Notice, whole_number
from radixviz.ui.story import NINE_STAGES

MOST_PAGES = 2_000
"""More cells than these no page map shows well."""
MOST_TOKENS = 20_000
"""A pool of these takes 60 MB with the tiny model, whoever asks for it by a link."""
MOST_TOKENS_OF_OTHERS = 4_000
"""A pool of these takes 184 MB with SmolLM2."""


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
    model: str | None,
    page_size: str | None,
    pool: str | None,
    scenario: Scenario,
    offered: Collection[str] = (TINY,),
    usual: str = TINY,
) -> tuple[Settings, tuple[Notice, ...]]:
    """Return the settings that an address asks for, the scenario's own for those that cannot be, with a notice each.

    `offered` are the names of the models that an address may ask for, `usual` is the one where it asks for none.
    """
    notices = []
    played = model if model in offered else usual
    if model not in (None, *offered):
        notices.append(Notice("notice.model", {"asked": model, "shown": usual}))
    tokens = scenario.page_size * scenario.pool_pages
    size = _in_limits(page_size, tokens)
    if page_size is not None and size is None:
        notices.append(Notice("notice.page_size", {"asked": page_size, "limit": tokens, "shown": scenario.page_size}))
    most_tokens = MOST_TOKENS if played == TINY else MOST_TOKENS_OF_OTHERS
    most = min(MOST_PAGES, most_tokens // (size or scenario.page_size))
    pages = _in_limits(pool, most)
    if pool is not None and pages is None:
        notices.append(Notice("notice.pool", {"asked": pool, "limit": most}))
    return Settings(played or usual, size, pages), tuple(notices)


def _in_limits(asked: str | None, most: int) -> int | None:
    number = None if asked is None else whole_number(asked)
    return number if number is not None and 1 <= number <= most else None
