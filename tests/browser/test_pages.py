"""From the tour to the page about sharing and back, at the size of a projector."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from radixviz.render.words import say
from tests.browser.axe import serious_faults
from tests.browser.test_tour import opened, shown, wait_until_ready

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FIGURE = ".rv-attention"
SAID = ".st-key-radixviz-say-attention p"


def _box(page: Page, css: str) -> tuple[float, float]:
    """Return where an element begins and ends, in pixels from the top of the window."""
    box = page.locator(css).bounding_box()
    assert box is not None
    return box["y"], box["y"] + box["height"]


def test_a_link_leads_there_and_back_to_the_same_step(browser: Browser, app_url: str) -> None:
    """Sentence and drawing fit the window, a choice redraws, and the tour is where it was, its sentence in view."""
    with opened(browser, f"{app_url}/?stage=5&frame=2&lang=en") as (page, wrong):
        wait_until_ready(page)
        page.get_by_role("link", name=say("en", "pages.sharing")).click()
        page.locator("[data-testid=stMetric]").first.wait_for(timeout=60_000)
        for css in (SAID, FIGURE):
            begin, end = _box(page, css)
            assert 0 <= begin < end <= 800
        numbers = page.locator(".rv-number").all_text_contents()
        page.locator(".st-key-radixviz-sharing-layer").get_by_text("3", exact=True).click()
        for _ in range(100):
            if page.locator(".rv-number").all_text_contents() != numbers:
                break
            page.wait_for_timeout(100)
        assert page.locator(".rv-number").all_text_contents() != numbers
        page.get_by_role("link", name=say("en", "pages.tour")).click()
        page.locator("[data-testid=player][data-stage='5'][data-frame='2']").wait_for()
        assert shown(page)["sayBox"][3] < 400
        assert wrong == []


@pytest.mark.parametrize(("theme", "lang"), [("light", "en"), ("dark", "zh")])
def test_axe_finds_no_serious_fault_of_ours(browser: Browser, app_url: str, theme: str, lang: str) -> None:
    """Texts and drawing have contrast and names, in both themes, also when it is shared wrongly."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=theme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{app_url}/sharing?lang={lang}")
    page.locator("[data-testid=stMetric]").first.wait_for(timeout=60_000)
    page.get_by_text(say(lang, "isolation.share")).click()
    page.get_by_text(say(lang, "isolation.adapter.wrong")).wait_for()
    colour = page.locator(f"{FIGURE} .rv-note").first.evaluate("(text) => getComputedStyle(text).fill")
    assert colour == {"light": "rgb(27, 31, 36)", "dark": "rgb(236, 239, 242)"}[theme]
    assert serious_faults(page) == []
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_of_the_proof_can_be_read(browser: Browser, app_url: str, theme: str) -> None:
    """Its texts have contrast in both themes, that of the button too."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=theme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{app_url}/proof?lang=en")
    page.get_by_role("button", name=say("en", "proof.measure")).wait_for(timeout=60_000)
    assert serious_faults(page) == []
    context.close()
