"""Makes README's pictures from the running app: `python docs/make_pictures.py http://localhost:8501`."""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.chromium import NOT_FOUND, QUIET, find_chromium

FOLDER = Path(__file__).parent / "images"
SIZE = {"width": 1280, "height": 800}
STILL = {"stage": "5", "frame": "5"}
FILM_FROM, FILM_STEPS, FILM_WIDTH = "stage=4&frame=1&lang=en&ask=0", 13, 960
SETTLED_MS, SHOWN_MS = 700, 1500


def main(url: str) -> None:
    """Write a still of stage 5 in each language, and a film of stages 4 and 5."""
    chromium = find_chromium()
    if chromium is None:
        sys.exit(NOT_FOUND)
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
        for language in ("en", "zh"):
            page = _open(
                browser, f"{url}/?stage={STILL['stage']}&frame={STILL['frame']}&lang={language}&ask=0", STILL["stage"]
            )
            page.screenshot(path=FOLDER / f"tour-{language}.png")
        _film(_open(browser, f"{url}/?{FILM_FROM}", "4"))
        browser.close()


def _open(browser: Browser, address: str, stage: str) -> Page:
    page = browser.new_page(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
    page.goto(address)
    page.wait_for_selector(f'[data-testid=player][data-stage="{stage}"]', timeout=120_000)
    page.wait_for_timeout(SETTLED_MS)
    return page


def _film(page: Page) -> None:
    pictures = []
    for _ in range(FILM_STEPS):
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        height = picture.height * FILM_WIDTH // picture.width
        pictures.append(picture.resize((FILM_WIDTH, height), Image.Resampling.LANCZOS).quantize(64))
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(SETTLED_MS)
    first, *others = pictures
    first.save(FOLDER / "tour.gif", save_all=True, append_images=others, duration=SHOWN_MS, loop=0, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1])
