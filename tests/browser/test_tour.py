from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

READY_MILLISECONDS = 60_000
STEP_MILLISECONDS = 10_000
REPORTED_MILLISECONDS = 900
"""By then the server has been told of a step, and has run the page again."""
SHOWN = """() => {
  const roots = [...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean);
  const player = roots.map((root) => root.querySelector("[data-testid=player]")).find(Boolean);
  if (!player) return null;
  const box = (element) => { const b = element.getBoundingClientRect(); return [b.left, b.top, b.right, b.bottom]; };
  const size = (found) => parseFloat(getComputedStyle(found).fontSize) * found.getScreenCTM().a;
  const text = (element, css) => [...element.querySelectorAll(css)].map((found) => found.textContent).join("|");
  return {
    stage: player.dataset.stage, frame: +player.dataset.frame, frames: +player.dataset.frames,
    say: player.querySelector("[data-say]").textContent, sayBox: box(player.querySelector("[data-say]")),
    why: player.querySelector("[data-why]").textContent,
    nodes: [...player.querySelectorAll("[data-node]")].map((node) => ({
      name: node.dataset.name, letter: node.dataset.letter, look: node.dataset.look, lock: +node.dataset.lock,
      title: text(node, ".rv-name"), badge: text(node, ".rv-badge text"), body: text(node, ".rv-text"), box: box(node),
      small: Math.min(...[...node.querySelectorAll("text")].map(size)),
    })),
    others: [...player.querySelectorAll("[data-running], [data-missing]")].map(box),
    pages: player.querySelectorAll("[data-page]").length,
    tokens: player.querySelectorAll("[data-token]").length,
    strips: [...player.querySelectorAll(".rv-strips")].map(box),
    hidden: (side => side.scrollHeight - side.clientHeight)(player.querySelector(".rv-side")),
  };
}"""
BADGES = {
    "en": {"new": "NEW", "hit": "HIT", "evicted": "EVICTED", "cached": ""},
    "zh": {"new": "新增", "hit": "命中", "evicted": "淘汰", "cached": ""},
}
ENDS = {  # name, letter and look of each node at the end of a stage, without those that are only there
    "1": set(),
    "2": {("A1", "a", "new")},
    "3": {("A1", "b", "hit"), ("A2", "", "new")},
    "4": {("SYS", "", "hit"), ("B1", "d", "new")},
    "5": {("SYS", "", "hit"), ("B1", "d", "hit"), ("A2", "c", "evicted"), ("B2", "", "new")},
    "6": {("What", "e", "new")},
    "7": {("EX", "f", "hit"), ("When", "", "new"), ("How", "", "new")},
    "8": {
        ("SYS", "", "hit"),
        ("A1", "b", "hit"),
        ("B2", "h", "evicted"),
        ("B1", "g", "evicted"),
        ("A2 + A3", "i", "new"),
    },
    "9": {
        *{("EX", "f", "hit"), ("What", "", "hit"), ("S2", "", "new"), ("S3", "", "new"), ("S4", "", "new")},
        *{("When", "k", "evicted"), ("How", "l", "evicted"), ("A2 + A3", "i", "evicted")},
    },
    "encore": {("EX", "f", "hit"), ("What", "", "hit"), ("S3", "", "hit"), ("E1", "", "new")},
}


@contextmanager
def opened(browser: Browser, address: str, width: int = 1280, height: int = 800) -> Iterator[tuple[Page, list[str]]]:
    """Open a page in a context of its own; the list fills with whatever went wrong or left this machine."""
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: wrong.append(request.url) if not _is_local(request.url) else None)
    page.goto(address)
    yield page, wrong
    context.close()


def shown(page: Page) -> dict[str, Any]:
    """Return what the player shows, read from the page itself."""
    found: dict[str, Any] | None = page.evaluate(SHOWN)
    assert found is not None
    return found


def wait_until_ready(page: Page) -> None:
    """Wait until the whole timeline is there: a run that has only begun can be stepped through, too."""
    page.locator(".rv-label[data-stage=encore]:enabled").wait_for(timeout=READY_MILLISECONDS)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_right_arrow_shows_every_frame_of_the_tour(browser: Browser, app_url: str, lang: str) -> None:
    """Sentence and whole tree are in view at 1280 x 800 in every frame, badges say the looks, and the story is told."""
    with opened(browser, f"{app_url}/?lang={lang}&ask=0") as (page, wrong):
        wait_until_ready(page)
        assert shown(page)["stage"] == "0"
        ends = {}
        while True:
            page.keyboard.press("ArrowRight")
            now = shown(page)
            _check_view(now)
            for node in now["nodes"]:
                assert BADGES[lang][node["look"]] == node["badge"] or node["badge"].startswith("= ")
                assert node["title"].split() == f"{node['name']} {node['letter']}".split() or "…" in node["title"]
                assert node["body"]
            if now["frame"] == now["frames"]:
                found = {(node["name"], node["letter"], node["look"]) for node in now["nodes"]}
                ends[now["stage"]] = {node for node in found if node[2] != "cached"}
            if (now["stage"], now["frame"]) == ("encore", now["frames"]):
                break
        assert list(ends) == list(ENDS)
        assert ends == ENDS
        assert wrong == []


def test_a_link_opens_where_it_says_and_back_goes_back(browser: Browser, app_url: str) -> None:
    """The address follows each step through the server's runs, and the browser's Back shows the stage before."""
    with opened(browser, f"{app_url}/?stage=5&frame=2&lang=zh") as (page, wrong):
        wait_until_ready(page)
        assert (shown(page)["stage"], shown(page)["frame"]) == ("5", 2)
        assert page.title() == "一步一步看懂 RadixAttention"
        page.keyboard.press("ArrowRight")
        page.wait_for_url(re.compile(r"stage=5&frame=3&lang=zh$"))
        page.keyboard.press("8")
        page.wait_for_url(re.compile(r"stage=8&frame=1&lang=zh$"))
        page.wait_for_timeout(REPORTED_MILLISECONDS)
        assert (shown(page)["stage"], shown(page)["frame"]) == ("8", 1)
        page.go_back()
        page.wait_for_function(f"() => ({SHOWN})()?.frame === 3", timeout=STEP_MILLISECONDS)
        page.wait_for_timeout(REPORTED_MILLISECONDS)
        assert (shown(page)["stage"], shown(page)["frame"]) == ("5", 3)
        assert wrong == []


def test_an_address_that_does_not_exist_is_explained(browser: Browser, app_url: str) -> None:
    """A word about it stands below the sentence until the next step."""
    with opened(browser, f"{app_url}/?stage=77&lang=en") as (page, wrong):
        wait_until_ready(page)
        assert page.locator(".rv-notice").text_content() == "There is no stage “77”: this is stage 9."
        page.keyboard.press("ArrowRight")
        assert page.locator(".rv-notice").count() == 0
        assert wrong == []


def test_keys_work_after_the_server_has_run(browser: Browser, app_url: str) -> None:
    """A step is reported, the page runs again, and nothing moves: the next keys go on from where the reader is."""
    with opened(browser, f"{app_url}/?stage=2&lang=en&ask=0") as (page, wrong):
        wait_until_ready(page)
        for _ in range(3):
            page.keyboard.press("ArrowRight")
            page.wait_for_timeout(REPORTED_MILLISECONDS)
        assert (shown(page)["stage"], shown(page)["frame"]) == ("2", 4)
        for key in ("c", "r"):  # Streamlit's own, which do nothing to the reader's place
            page.keyboard.press(key)
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowRight")
        assert (shown(page)["stage"], shown(page)["frame"]) == ("2", 5)
        assert wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_player_follows_the_theme(browser: Browser, app_url: str, scheme: str) -> None:
    """A reader whose system is dark gets the dark palette."""
    context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(app_url)
    page.wait_for_function(f"() => ({SHOWN})() !== null", timeout=READY_MILLISECONDS)
    assert page.locator("[data-testid=player]").get_attribute("data-theme") == scheme
    context.close()


def _check_view(now: dict[str, Any]) -> None:
    """Assert that sentence, tree, pages, numbers and tokens are in view, whole, and that no text is too small."""
    boxes = [now["sayBox"], *(node["box"] for node in now["nodes"]), *now["others"], *now["strips"]]
    assert all(left >= 0 and top >= 0 and right <= 1280 and bottom <= 800 for left, top, right, bottom in boxes)
    assert now["hidden"] <= 0
    assert now["say"]
    assert now["why"]
    assert now["pages"] == 300
    assert (now["tokens"] > 0) == (now["stage"] != "1")
    assert all(node["small"] >= 11 for node in now["nodes"])


def _is_local(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in {"data", "blob"} or parts.hostname in {"localhost", "127.0.0.1"}
