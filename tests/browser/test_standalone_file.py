"""The exported HTML file, opened in a real Chromium from a file with the network off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.tour_file import opened_file, place

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_the_file_is_stepped_through_to_its_end_and_back_and_in_both_languages(
    browser: Browser, tour_file: str
) -> None:
    """Every frame from the introduction to the last is reached by keys alone; the sentence changes its language."""
    with opened_file(browser, f"{tour_file}#ask=0") as page:
        assert place(page) == "0.1 zh-Hans"
        assert page.locator(".rv-prompts").inner_text() != ""
        page.keyboard.press("5")
        assert place(page) == "5.1 zh-Hans"
        assert page.locator("[data-say]").inner_text() != ""
        seen = {place(page)}
        for _ in range(200):
            page.keyboard.press("ArrowRight")
            now = place(page)
            if now in seen:
                break
            seen.add(now)
        stages = {one.split(".")[0] for one in seen}
        assert stages == {"5", "6", "7", "8", "9", "encore"}
        page.locator("[data-tool=language]").click()
        assert page.locator(".rv-second").inner_text() != ""  # both languages
        page.locator("[data-tool=language]").click()
        assert place(page).startswith("encore.")
        assert place(page).endswith(" en")
        page.keyboard.press("Home")
        assert place(page) == "0.1 en"


def test_the_address_of_the_file_says_what_is_shown_and_opens_it_again(browser: Browser, tour_file: str) -> None:
    """A step is written behind the #; that address, opened anew, shows the same; Back goes to the stage before."""
    with opened_file(browser, f"{tour_file}#stage=5&frame=2&lang=en") as page:
        assert place(page) == "5.2 en"
        page.keyboard.press("ArrowRight")
        page.wait_for_url(f"{tour_file}#stage=5&frame=3&lang=en")
        page.keyboard.press("7")
        page.wait_for_url(f"{tour_file}#stage=7&frame=1&lang=en")
        page.evaluate("history.back()")
        page.wait_for_function("document.querySelector('[data-testid=player]').dataset.stage === '5'")
        assert place(page) == "5.3 en"
    with opened_file(browser, f"{tour_file}#stage=encore&frame=99") as page:
        assert place(page).startswith("encore.")
        assert place(page).endswith(" zh-Hans")
    with opened_file(browser, f"{tour_file}#stage=12&ask=maybe") as page:
        assert place(page) == "9.1 zh-Hans"
        assert page.locator(".rv-notice").all_text_contents() == [
            "“ask” 只能是 0 或 1，不能是“maybe”。",
            "没有第“12”步：这里显示第 9 步。",
        ]


def test_an_address_that_does_not_exist_lands_nearby(browser: Browser, tour_file: str) -> None:
    """As in the app: the nearest stage and step there is, with a word about it until the next step."""
    with opened_file(browser, f"{tour_file}#stage=1&lang=en&ask=0") as page:
        for asked, landed, said in (
            ("stage=-3", "0.1", ["There is no stage “-3”: this is stage 0."]),
            ("stage=<b>", "0.1", ["There is no stage “<b>”: this is stage 0."]),
            (f"stage={'9' * 400}", "9.1", [f"There is no stage “{'9' * 400}”: this is stage 9."]),
            ("stage=2&frame=0", "2.1", ["There is no step “0” here: this is step 1 of 6."]),
            ("stage=2&frame=two", "2.1", ["There is no step “two” here: this is step 1 of 6."]),
            ("stage=2&frame=99", "2.6", ["There is no step “99” here: this is step 6 of 6."]),
            ("stage=2&frame=6&lang=fr", "2.6", ["There is no language “fr”."]),
            ("stage=2&frame=6&present=x", "2.6", ["“present” is 0 or 1, but not “x”."]),
            ("stage=encore&frame=1", "encore.1", []),
        ):
            page.evaluate("(hash) => { location.hash = hash }", f"{asked}&ask=0")
            for text in said:  # soon the address says what is shown instead
                page.locator(".rv-notice", has_text=text).wait_for()
            page.locator(f"[data-stage='{landed.split('.')[0]}'][data-testid=player]").wait_for()
            assert (place(page), page.locator(".rv-notice").all_text_contents()) == (f"{landed} en", said)
        page.keyboard.press("ArrowRight")
        assert place(page) == "encore.2 en"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_file_has_the_colours_that_the_reader_s_system_asks_for(
    browser: Browser, tour_file: str, scheme: str
) -> None:
    """The theme is the system's, also when it changes while the file is open."""
    with opened_file(browser, f"{tour_file}#stage=4&frame=1", color_scheme=scheme) as page:
        player = page.locator("[data-testid=player]")
        assert player.get_attribute("data-theme") == scheme
        other = "light" if scheme == "dark" else "dark"
        page.emulate_media(color_scheme=other)  # type: ignore[arg-type]
        page.wait_for_function(f"document.querySelector('[data-testid=player]').dataset.theme === '{other}'")
        assert place(page) == "4.1 zh-Hans"
