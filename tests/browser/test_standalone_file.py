"""The exported HTML file, opened in a real Chromium from a file with the network off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from radixviz.export_command import player_intro
from radixviz.model.folder import TINY, locate
from radixviz.model.tokenizer import TextTokenizer
from radixviz.render.export.standalone import standalone_html
from radixviz.render.layout import find_engine
from radixviz.render.player_data import player_data
from radixviz.scenario.dry_run import dry_run
from radixviz.scenario.loader import find_scenario, load_scenario

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PLACE = "p => p.dataset.stage + '.' + p.dataset.frame + ' ' + p.lang"
WRITTEN_MS = 500
"""After this long the address says what is shown."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write the tour, as the engine plays it with the replies that the tiny model was taught; return the address."""
    scenario = load_scenario(find_scenario("nine-stages"))
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    tour = dry_run(scenario, tokenizer, page_size=scenario.page_size, pool_pages=scenario.pool_pages)
    path: Path = tmp_path_factory.mktemp("九步") / "tour 导览.html"
    data = player_data(tour, find_engine(), player_intro(scenario, tokenizer))
    path.write_text(standalone_html(data, "zh"), encoding="utf-8")
    return path.as_uri()


@contextmanager
def opened(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    """Open the file offline; nothing may go wrong, and nothing but the file may be asked for."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True, **options)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    page.goto(address)
    yield page
    assert wrong == []
    context.close()


def place(page: Page) -> str:
    """Return what the player shows, as "stage.frame language"."""
    return str(page.locator("[data-testid=player]").evaluate(PLACE))


def test_the_file_is_stepped_through_to_its_end_and_back_and_in_both_languages(browser: Browser, file: str) -> None:
    """Every frame from the introduction to the last is reached by keys alone; the sentence changes its language."""
    with opened(browser, f"{file}#ask=0") as page:
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


def test_the_address_of_the_file_says_what_is_shown_and_opens_it_again(browser: Browser, file: str) -> None:
    """A step is written behind the #; that address, opened anew, shows the same; Back goes to the stage before."""
    with opened(browser, f"{file}#stage=5&frame=2&lang=en") as page:
        assert place(page) == "5.2 en"
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(WRITTEN_MS)
        assert page.url == f"{file}#stage=5&frame=3&lang=en"
        page.keyboard.press("7")
        page.wait_for_timeout(WRITTEN_MS)
        assert page.url == f"{file}#stage=7&frame=1&lang=en"
        page.evaluate("history.back()")
        page.wait_for_function("document.querySelector('[data-testid=player]').dataset.stage === '5'")
        assert place(page) == "5.3 en"
    with opened(browser, f"{file}#stage=encore&frame=99") as page:
        assert place(page).startswith("encore.")
        assert place(page).endswith(" zh-Hans")
    with opened(browser, f"{file}#stage=12&ask=maybe") as page:
        assert place(page) == "9.1 zh-Hans"
        assert page.locator(".rv-notice").all_text_contents() == [
            "“ask” 只能是 0 或 1，不能是“maybe”。",
            "没有第“12”步：这里显示第 9 步。",
        ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_file_has_the_colours_that_the_reader_s_system_asks_for(browser: Browser, file: str, scheme: str) -> None:
    """The theme is the system's, also when it changes while the file is open."""
    with opened(browser, f"{file}#stage=4&frame=1", color_scheme=scheme) as page:
        player = page.locator("[data-testid=player]")
        assert player.get_attribute("data-theme") == scheme
        other = "light" if scheme == "dark" else "dark"
        page.emulate_media(color_scheme=other)  # type: ignore[arg-type]
        page.wait_for_function(f"document.querySelector('[data-testid=player]').dataset.theme === '{other}'")
        assert place(page) == "4.1 zh-Hans"
