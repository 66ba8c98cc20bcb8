"""The player under axe-core, which knows the rules that a screen reader, a keyboard and weak eyes depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from radixviz.timeline import Timeline
from tests.browser.axe import serious_faults
from tests.browser.bare_player import bare_player

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.parametrize(("width", "theme", "lang"), [(1280, "dark", "zh"), (390, "light", "en")])
def test_axe_finds_no_serious_fault(browser: Browser, tour: Timeline, width: int, theme: str, lang: str) -> None:
    """Neither in an eviction nor at the end of the samples, nor in anything that opens over them."""
    evict = next(frame.index for frame in tour.stage_frames(5) if frame.phase == "decode" and frame.ghosts)
    with bare_player(browser, tour, lang=lang, theme=theme, width=width, reduced_motion="reduce") as (page, wrong):
        found = {}
        for name, state in {
            "eviction": {"frame": evict},
            "samples": {"frame": tour.last_frame(9).index, "expert": True, "selected": {"page": 1}},
            "question in a room": {"frame": evict, "ask": True, "present": True, "both": True, "lang": "zh"},
            "overview": {"open": "overview", "selected": None},
            "help": {"open": "help"},
        }.items():
            page.evaluate("(state) => player.store.set(state)", state)
            found[name] = serious_faults(page)
        assert found == {name: [] for name in found}
        assert wrong == []
