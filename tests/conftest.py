"""What the tests share: a Chromium, and the app running as its users start it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.chromium import NOT_FOUND, QUIET, find_chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]
BROWSER_TESTS = ROOT / "tests" / "browser"
STARTING_SECONDS = 60.0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in tests/browser, and let it run last: what is quick fails first."""
    for item in items:
        if item.path.is_relative_to(BROWSER_TESTS):
            item.add_marker("browser")
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a browser test without a Chromium; with RADIXVIZ_REQUIRE_BROWSER=1 that is a failure."""
    if item.get_closest_marker("browser") is None or find_chromium() is not None:
        return
    if os.environ.get("RADIXVIZ_REQUIRE_BROWSER") == "1":
        pytest.fail(NOT_FOUND, pytrace=False)
    pytest.skip(NOT_FOUND)


@pytest.fixture(scope="session")
def chromium_path() -> Path:
    """Return the Chromium that browser tests run."""
    path = find_chromium()
    assert path is not None, NOT_FOUND
    return path


@pytest.fixture(scope="session")
def browser(chromium_path: Path) -> Iterator[Browser]:
    """Start one headless Chromium for all browser tests; each opens its own context or page in it."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the app on a free port as README says, and return its address once it is healthy."""
    with running_app(tmp_path_factory.mktemp("app")) as address:
        yield address


@contextmanager
def running_app(folder: Path, environment: Mapping[str, str] | None = None) -> Iterator[str]:
    """Run the app on a free port; this folder is its cache, and has its log."""
    port = _free_port()
    log = folder / "streamlit.log"
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    options = ["--server.port", str(port), "--server.headless", "true"]
    with (
        log.open("wb") as sink,
        subprocess.Popen(
            [*command, *options],
            cwd=ROOT,
            env={**os.environ, "RADIXVIZ_CACHE": str(folder), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
        ) as server,
    ):
        try:
            _wait_until_healthy(f"http://localhost:{port}/_stcore/health", server, log)
            yield f"http://localhost:{port}"
        finally:
            server.kill()


def _free_port() -> int:
    with socket.create_server(("localhost", 0)) as server:
        return int(server.getsockname()[1])


def _wait_until_healthy(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with opener.open(url, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"the app did not start; it said:\n{log.read_text(encoding='utf-8', errors='replace')}", pytrace=False)
