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
    context = browser.new_context(viewport={"width": width, "height": height})
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


def press(page: Page, name: str) -> None:
    """Press a button, and wait until something else is shown."""
    before = shown(page)
    page.get_by_role("button", name=name, exact=True).click()
    page.wait_for_function(
        f"(old) => {{ const now = ({SHOWN})(); return now && (now.stage !== old.stage || now.frame !== old.frame); }}",
        arg=before,
        timeout=STEP_MILLISECONDS,
    )


def wait_until_ready(page: Page, name: str) -> None:
    """Wait until the timeline is there and Next can be pressed."""
    page.locator(f'button:enabled:has-text("{name}")').wait_for(timeout=READY_MILLISECONDS)
    page.locator("[data-testid=player]").wait_for(timeout=STEP_MILLISECONDS)


@pytest.mark.parametrize(("lang", "forward"), [("en", "Forward one step"), ("zh", "前进一帧")])
def test_next_shows_every_frame_of_the_tour(browser: Browser, app_url: str, lang: str, forward: str) -> None:
    """Sentence and whole tree are in view at 1280 x 800 in every frame, badges say the looks, and the story is told."""
    with opened(browser, f"{app_url}/?lang={lang}") as (page, wrong):
        wait_until_ready(page, forward)
        assert shown(page)["stage"] == "0"
        ends = {}
        while True:
            press(page, forward)
            now = shown(page)
            _check_view(now)
            for node in now["nodes"]:
                assert BADGES[lang][node["look"]] == node["badge"] or node["badge"].startswith("= ")
                assert node["title"] == node["name"] + node["letter"] or "…" in node["title"]
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
    """The address follows each step, and the browser's Back shows what was before."""
    with opened(browser, f"{app_url}/?stage=5&frame=2&lang=zh") as (page, wrong):
        wait_until_ready(page, "前进一帧")
        page.wait_for_function(f"() => ({SHOWN})()?.stage === '5'")
        assert (shown(page)["stage"], shown(page)["frame"]) == ("5", 2)
        press(page, "前进一帧")
        page.wait_for_url(re.compile(r"stage=5&frame=3&lang=zh$"))
        page.go_back()
        page.wait_for_function(f"() => ({SHOWN})()?.frame === 2", timeout=STEP_MILLISECONDS)
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
    """Assert that sentence, tree, pages and tokens are in view, whole, and that no text is too small."""
    boxes = [now["sayBox"], *(node["box"] for node in now["nodes"]), *now["others"], *now["strips"]]
    assert all(left >= 0 and top >= 0 and right <= 1280 and bottom <= 800 for left, top, right, bottom in boxes)
    assert now["say"]
    assert now["why"]
    assert now["pages"] == 300
    assert (now["tokens"] > 0) == (now["stage"] != "1")
    assert all(node["small"] >= 11 for node in now["nodes"])


def _is_local(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in {"data", "blob"} or parts.hostname in {"localhost", "127.0.0.1"}
