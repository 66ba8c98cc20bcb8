"""A PDF of an HTML page, printed by a Chromium of this machine: Chromium, Chrome or Edge, or the one that is named."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from radixviz.errors import NoChromium, PdfRefused

VARIABLE = "RADIXVIZ_CHROMIUM"
"""The environment variable that names the program; it is believed without a look."""
COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "msedge")
BUNDLES = (  # macOS
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)
PROGRAMS = ("Google/Chrome/Application/chrome.exe", "Microsoft/Edge/Application/msedge.exe")  # Windows
PROGRAM_FOLDERS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
PLAYWRIGHT = (  # where `playwright install` puts its own
    ".cache/ms-playwright/chromium-*/chrome-linux*/chrome",
    "Library/Caches/ms-playwright/chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "AppData/Local/ms-playwright/chromium-*/chrome-win*/chrome.exe",
)
_SECONDS = 120
_OPTIONS = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-pdf-header-footer",
)


def find_chromium() -> Path | None:
    """Return the program, or None when this machine has none."""
    if named := os.environ.get(VARIABLE):
        return Path(named)
    return next(_installed(), None)


def require_chromium() -> Path:
    """Return the program; NoChromium when this machine has none."""
    found = find_chromium()
    if found is None:
        raise NoChromium()
    return found


def print_pdf(html: str, chromium: Path) -> bytes:
    """Return the page as this program prints it.

    Raises PdfRefused: the program cannot be run, takes too long, or writes no PDF.
    """
    with tempfile.TemporaryDirectory(prefix="radixviz-") as folder:
        page, pdf = Path(folder, "page.html"), Path(folder, "page.pdf")
        page.write_text(html, encoding="utf-8")
        own = [f"--user-data-dir={Path(folder, 'profile')}", f"--print-to-pdf={pdf}"]
        try:
            subprocess.run(
                [str(chromium), *_OPTIONS, *_sandbox(), *own, page.as_uri()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=True,
            )
            made = pdf.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise PdfRefused(str(chromium)) from error
    if not made.startswith(b"%PDF"):
        raise PdfRefused(str(chromium))
    return made


def _sandbox() -> tuple[str, ...]:
    """Chromium has no sandbox for root; the page is our own and has no script."""
    return ("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()


def _installed() -> Iterator[Path]:
    yield from (Path(found) for command in COMMANDS if (found := shutil.which(command)))
    folders = [Path(folder) for name in PROGRAM_FOLDERS if (folder := os.environ.get(name))]
    places = [Path(bundle) for bundle in BUNDLES] + [folder / program for program in PROGRAMS for folder in folders]
    yield from (place for place in places if place.is_file())
    for pattern in PLAYWRIGHT:
        yield from (path for path in sorted(Path.home().glob(pattern), reverse=True) if path.is_file())
