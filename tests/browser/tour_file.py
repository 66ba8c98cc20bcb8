"""The tour as one HTML file, opened in a real Chromium from a file with the network off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PLACE = "p => p.dataset.stage + '.' + p.dataset.frame + ' ' + p.lang"


@contextmanager
def opened_file(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    """Open the file offline; nothing may go wrong, and nothing but the file may be asked for."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "offline": True, **options})
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
