"""A tour on another model, stage by stage, in a browser: what streams stands beside the player, and moves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from radixviz.ui.offered_models import MODEL_VARIABLE
from tests.browser.axe import serious_faults
from tests.browser.test_tour import READY_MILLISECONDS, opened, shown
from tests.conftest import running_app
from tests.model.random_models import save_random_reader

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MOUNT = """[...document.querySelectorAll("*")].map((element) => element.shadowRoot).filter(Boolean)
  .map((root) => root.querySelector(".rv-mount")).find(Boolean)"""
WATCH = f"""() => {{
  const mount = window.watched = {MOUNT};
  const places = window.places = new Set();
  const look = () => {{
    const {{ left, top, width, height }} = mount.getBoundingClientRect();
    places.add([left, top, width, height].map(Math.round).join());
    const told = document.querySelector(".rv-told")?.getBoundingClientRect();
    if (told && (told.width < 240 || told.left < 0 || told.right > innerWidth)) places.add("text out of view");
    requestAnimationFrame(look);
  }};
  look();
}}"""
BOXES = """() => {
  const box = (css) => {
    const { left, top, right, bottom } = document.querySelector(css).getBoundingClientRect();
    return [left, top, right, bottom];
  };
  return { steps: box(".st-key-radixviz-steps"), said: box(".rv-said") };
}"""
TREE = f"""() => {{
  const {{ left, top, right, bottom }} = ({MOUNT}).querySelector(".rv-tree").getBoundingClientRect();
  return [left, top, right, bottom];
}}"""
LAPTOP, PROJECTOR = (1280, 720), (1920, 1080)
STILL_THERE = f"() => watched === {MOUNT} && watched.isConnected"


@pytest.fixture(scope="module")
def stepped_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the app with a random model that reads with the tiny model's tokenizer."""
    folder = save_random_reader(tmp_path_factory.mktemp("models") / "random")
    with running_app(tmp_path_factory.mktemp("stepped"), {MODEL_VARIABLE: str(folder)}) as address:
        yield f"{address}/?ask=0&pool="


def press(page: Page, key: str) -> None:
    """Press a button of the run."""
    page.locator(f".st-key-radixviz-steps-{key} button").click()


def wait_for_stage(page: Page, stage: int) -> None:
    """Wait until so many stages have run and the next can be asked for."""
    page.locator(".rv-state", has_text=f"{stage} of 10").wait_for(timeout=READY_MILLISECONDS)


def wait_for_place(page: Page, stage: int, frame: int) -> None:
    """Wait until the player shows this frame."""
    page.locator(f"[data-testid=player][data-stage='{stage}'][data-frame='{frame}']").wait_for(
        timeout=READY_MILLISECONDS
    )


def test_what_streams_is_in_view_with_the_tree_and_moves_nothing(browser: Browser, stepped_url: str) -> None:
    """Without scrolling; where the window is wide beside the player, else above it. The player stays the same."""
    with opened(browser, stepped_url + "300&lang=en", *LAPTOP) as (page, wrong):
        for stage in (1, 2):
            press(page, "next")
            wait_for_stage(page, stage)
        for stage, size, others in ((3, LAPTOP, ((1366, 768),)), (4, PROJECTOR, ((1600, 900),))):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.evaluate(WATCH)
            press(page, "next")
            wait_for_stage(page, stage)
            wait_for_place(page, stage, 1)
            assert len(page.evaluate("() => [...places]")) == 1
            assert page.evaluate(STILL_THERE)
            for width, height in (size, *others):
                page.set_viewport_size({"width": width, "height": height})
                _check_view(page, width, height)
        page.keyboard.press("ArrowRight")
        press(page, "cancel")
        page.locator(".rv-state", has_text="Cancelled").wait_for(timeout=READY_MILLISECONDS)
        assert (shown(page)["stage"], shown(page)["frame"]) == ("4", 2)
        assert wrong == []


def test_a_kept_run_is_shown_and_left_as_the_reader_moves_on(browser: Browser, stepped_url: str) -> None:
    """What an earlier visit has run is there at once, with a word that running on begins anew."""
    with opened(browser, stepped_url + "301&lang=en") as (page, wrong):
        press(page, "next")
        wait_for_stage(page, 1)
        press(page, "next")
        wait_for_stage(page, 2)
        press(page, "cancel")
        page.locator(".rv-state", has_text="Cancelled").wait_for(timeout=READY_MILLISECONDS)
        assert wrong == []
    with opened(browser, stepped_url + "301&lang=zh&stage=2") as (page, wrong):
        page.locator(".rv-state", has_text="都要从第 1 步开始").wait_for(timeout=READY_MILLISECONDS)
        wait_for_place(page, 2, 1)
        press(page, "next")
        page.locator(".rv-state", has_text="已运行 1 步").wait_for(timeout=READY_MILLISECONDS)
        wait_for_place(page, 1, 1)
        press(page, "cancel")
        page.locator(".rv-state", has_text="已取消").wait_for(timeout=READY_MILLISECONDS)
        assert wrong == []


def _check_view(page: Page, width: int, height: int) -> None:
    """Assert that text, buttons and the whole place of the tree are in the window, and do not lie over each other."""
    found: dict[str, Any] = page.evaluate(BOXES)
    tree: list[float] = page.evaluate(TREE)
    for left, top, right, bottom in (found["steps"], found["said"], tree):
        assert (0 <= left < right <= width, 0 <= top < bottom <= height) == (True, True)
    is_beside = width >= 1600
    assert (found["steps"][0] >= tree[2], found["steps"][3] <= tree[1]) == (is_beside, not is_beside)
    assert page.locator(".rv-said b").count() == 1
    assert serious_faults(page) == []
