"""Finds a Chromium for the browser tests: one that is named, one that is installed, or Playwright's own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "msedge")
BUNDLES = (  # macOS
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
PROGRAMS = ("Google/Chrome/Application/chrome.exe", "Microsoft/Edge/Application/msedge.exe")  # Windows
PROGRAM_FOLDERS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
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
    if named := os.environ.get("RADIXVIZ_CHROMIUM"):
        return Path(named)
    return next(_installed(), None)


def _installed() -> Iterator[Path]:
    yield from (Path(found) for command in COMMANDS if (found := shutil.which(command)))
    folders = [Path(folder) for name in PROGRAM_FOLDERS if (folder := os.environ.get(name))]
    places = [Path(bundle) for bundle in BUNDLES] + [folder / program for program in PROGRAMS for folder in folders]
    yield from (place for place in places if place.is_file())
    yield from (own for own in [_playwright_own()] if own.is_file())  # last: asking takes a second


def _playwright_own() -> Path:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return Path(playwright.chromium.executable_path)
