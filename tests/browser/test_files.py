"""Files that the page saves and opens, and the pages that are printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from radixviz.render.export.chromium import print_pdf
from radixviz.render.export.handout import HANDOUT_KINDS, Handout, HandoutKind, handout_html
from radixviz.render.export.timeline_json import write_timeline
from radixviz.render.layout import find_engine
from radixviz.render.words import LANGUAGES, say
from radixviz.timeline import Timeline
from tests.browser.axe import serious_faults
from tests.render.small_timeline import frame, node, timeline

if TYPE_CHECKING:
    from playwright.sync_api import Browser

READY_MILLISECONDS = 60_000
PAGE_WIDTH, PAGE_HEIGHT = 688, 1028
"""What A4 has within the margins of the style sheet, at 96 pixels an inch."""
FITS = """() => [...document.querySelectorAll("section")].map(section => {
  const {width, height} = section.getBoundingClientRect();
  const texts = [...section.querySelectorAll("svg text")];
  return {width, height, inside: texts.every(text => {
    const {left, right} = text.getBoundingClientRect();
    return left >= -1 && right <= innerWidth + 1;
  })};
})"""


@pytest.mark.parametrize("kind", HANDOUT_KINDS)
def test_each_stage_fits_a_page_of_paper(browser: Browser, tour: Timeline, kind: HandoutKind) -> None:
    """In both languages at once no stage is taller than a page, no text leaves it, and nothing is asked for."""
    context = browser.new_context(viewport={"width": PAGE_WIDTH, "height": PAGE_HEIGHT}, offline=True)
    page = context.new_page()
    page.emulate_media(media="print")
    page.set_content(handout_html(tour, Handout(kind, LANGUAGES, find_engine())))
    sections = page.evaluate(FITS)
    assert len(sections) == (9 if kind == "handout" else 8)
    assert all(found["height"] <= PAGE_HEIGHT and found["width"] <= PAGE_WIDTH for found in sections), sections
    assert all(found["inside"] for found in sections)
    assert serious_faults(page) == []
    context.close()


def test_a_pdf_has_few_pages(chromium_path: Path, tour: Timeline) -> None:
    """The nine stages take four pages."""
    made = print_pdf(handout_html(tour, Handout("handout", ("zh",), find_engine())), chromium_path)
    assert len(re.findall(rb"/Type\s*/Page\b", made)) == 4


def test_the_page_opens_a_file_and_saves_a_frame_and_goes_back(browser: Browser, app_url: str, tmp_path: Path) -> None:
    """A run saved as JSON is shown with its name; its frame is saved as PNG; a link to it is one to the live tour."""
    told = timeline(frame([node(1, None, "ab")], stage=2), token_bytes={97: b"a", 98: b"b"})
    saved = tmp_path / "时间线.json"
    saved.write_bytes(write_timeline(told))
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    page = context.new_page()
    page.goto(f"{app_url}/?stage=2&frame=1&lang=zh")
    player = page.locator("[data-testid=player][data-stage='2']")
    player.wait_for(timeout=READY_MILLISECONDS)
    page.get_by_role("button", name=say("zh", "files.title")).click()
    page.locator("input[type=file]").set_input_files(saved)
    page.locator(".rv-notice", has_text="时间线.json").wait_for()
    assert page.locator("[data-node]").count() == 1
    with page.expect_download() as download:
        page.get_by_role("button", name=say("zh", "files.png"), exact=True).click()
    download.value.save_as(tmp_path / "a.png")
    assert download.value.suggested_filename == "small-2.1-zh.png"
    with Image.open(tmp_path / "a.png") as picture:
        assert picture.width == 2 * (820 + 2 * 24)
    page.keyboard.press("Escape")
    for answer, key in (("reject", "link.by_hand.opened"), ("resolve", "link.copied.opened")):
        page.evaluate(f"() => {{ navigator.clipboard.writeText = () => Promise.{answer}() }}")
        page.locator("[data-tool=copy]").click()
        page.locator(".rv-copied span", has_text=say("zh", key)).wait_for()
    page.get_by_role("button", name=say("zh", "files.back")).click()
    page.locator("[data-testid=player] .rv-label", has_text="尾声").wait_for()
    context.close()


def test_a_file_and_a_link_are_of_what_is_shown_now(browser: Browser, app_url: str) -> None:
    """After steps and keys a saved frame is the one in view, in its language, and a link leads back to just that."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    page = context.new_page()
    page.goto(f"{app_url}/?stage=2&frame=1&lang=zh&ask=0")
    page.locator(".rv-label[data-stage=encore]:enabled").wait_for(timeout=READY_MILLISECONDS)
    for shown, keys in {
        "lang=en&stage=7&frame=1&ask=0": "7ll",
        "lang=zh&stage=4&frame=2": ["4", "ArrowRight", "l", "q"],
    }.items():
        for key in keys:
            page.keyboard.press(key)
        page.locator(f"a[href*='sharing?'][href*='{shown}']").wait_for()
    page.get_by_role("button", name=say("zh", "files.title")).click()
    with page.expect_download() as download:
        page.get_by_role("button", name=say("zh", "files.svg"), exact=True).click()
    assert download.value.suggested_filename == "nine-stages-4.2-zh.svg"
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    page.wait_for_url("**present=1")
    page.get_by_role("button", name=say("zh", "files.title")).wait_for(state="detached")
    assert page.locator("[data-testid=player]").get_attribute("data-frame") == "2"
    context.close()
