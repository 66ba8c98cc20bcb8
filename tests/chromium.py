"""Finds a Chromium for the browser tests: as the product does, and Playwright's own wherever that is."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from radixviz.render.export import chromium

NOT_FOUND = (
    "no Chromium found: install one (`sudo apt-get install chromium`, Chrome, Edge, or `python -m playwright install "
    "chromium`), or name one in RADIXVIZ_CHROMIUM"
)
QUIET = (  # a page of this machine only: no sandbox for root, no talk with the outside
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@cache
def find_chromium() -> Path | None:
    """Return the program, or None when this machine has none. RADIXVIZ_CHROMIUM is believed without a look."""
    found = chromium.find_chromium()
    own = _playwright_own() if found is None else None  # last: asking takes a second
    return own if own is not None and own.is_file() else found


def _playwright_own() -> Path:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)
