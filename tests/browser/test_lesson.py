"""A lesson: the clicker walks its states, and the presenter's window follows and leads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.browser.axe import serious_faults
from tests.browser.test_tour import READY_MILLISECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ASKING = "[data-testid=player][data-asking]"
PLACE = """() => {
  const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
  const player = roots.map((root) => root.querySelector("[data-testid=player]")).find(Boolean);
  return player.dataset.stage + "." + player.dataset.frame;
}"""


def wait_for_place(page: Page, place: str) -> None:
    """Wait until the player shows this stage and frame."""
    page.wait_for_function(f"({PLACE})() === '{place}'")


def test_the_clicker_and_the_presenter_window_walk_the_lesson(browser: Browser, app_url: str) -> None:
    """Page Down goes state by state; the window shows the notes and the next one, leads, and starts the clock."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{app_url}/?lesson=class-45&lang=en&stage=5&frame=1")
    page.locator("[data-testid=player][data-stage='5']").wait_for(timeout=READY_MILLISECONDS)
    assert page.locator("[data-testid=lesson] .count").inner_text() == "8 / 19"
    with context.expect_page() as opened:
        page.keyboard.press("N")
    window = opened.value
    window.on("pageerror", lambda error: wrong.append(str(error)))
    part = {name: window.locator(f"[data-part={name}]") for name in ("title", "notes", "next", "pause", "alone", "run")}
    part["title"].filter(has_text="Who may go?").wait_for()
    assert part["run"].inner_text() == "Start the clock"
    page.keyboard.press("PageDown")
    page.locator(ASKING).wait_for()
    part["title"].filter(has_text="A leaf is evicted").wait_for()
    assert "the whole leaf goes" in part["notes"].inner_text()
    assert part["next"].inner_text() == "Worksheet: stage 6 · Stage 5"
    page.keyboard.press("PageDown")  # the answer first
    page.locator(ASKING).wait_for(state="detached")
    wait_for_place(page, "5.5")
    page.keyboard.press("PageDown")
    wait_for_place(page, "5.8")
    pause = page.locator("[data-testid=lesson] .pause")
    pause.wait_for()
    part["title"].filter(has_text=re.compile("^Worksheet: stage 6$")).wait_for()
    assert part["pause"].inner_text() == pause.inner_text()
    assert part["run"].inner_text() == "Stop the clock"
    assert serious_faults(window) == []
    window.keyboard.press("PageDown")
    wait_for_place(page, "6.6")
    page.keyboard.press("ArrowRight")
    wait_for_place(page, "7.1")
    page.wait_for_url(re.compile("stage=7"))
    page.keyboard.press("PageUp")
    wait_for_place(page, "5.8")
    page.go_back()
    wait_for_place(page, "7.1")
    page.close()
    window.reload()
    part["alone"].filter(has_text="No page of this lesson").wait_for()
    assert wrong == []
    context.close()


def test_the_lesson_leads_to_the_proof_and_back(browser: Browser, app_url: str) -> None:
    """Page Down opens the other page, where the walker goes on; Page Up and Page Down come back to an author's stop."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(f"{app_url}/?lesson=class-45&lang=en&ask=0&stage=9&frame=1")
    page.locator("[data-testid=player][data-stage='9']").wait_for(timeout=READY_MILLISECONDS)
    count = page.locator("[data-testid=lesson] .count")
    for step in ("17", "18"):
        page.keyboard.press("PageDown")
        count.filter(has_text=re.compile(f"^{step} / 19$")).wait_for()
    page.wait_for_url(re.compile("/proof\\?.*stage=9"))
    page.get_by_role("heading", name="Same answer?").wait_for()
    with context.expect_page() as opened:
        page.keyboard.press("n")
    window = opened.value
    window.locator("[data-part=title]").filter(has_text="Same answer?").wait_for()
    assert "the page “Same answer?”" in window.locator("[data-part=place]").inner_text()
    window.keyboard.press("PageUp")
    count.filter(has_text="17 / 19").wait_for()
    before = page.evaluate(PLACE)
    page.keyboard.press("PageDown")
    page.wait_for_url(re.compile("/proof"))
    count.filter(has_text="18 / 19").wait_for()
    page.keyboard.press("PageDown")
    page.locator("[data-testid=player][data-stage='9']").wait_for()
    count.filter(has_text="19 / 19").wait_for()
    page.locator("[data-testid=lesson] .pause").wait_for()
    frame = re.search(r"frame=(\d+)", page.url)
    assert frame is not None
    wait_for_place(page, f"9.{frame[1]}")
    assert int(frame[1]) > int(before.removeprefix("9.")) > 1
    assert wrong == []
    context.close()
