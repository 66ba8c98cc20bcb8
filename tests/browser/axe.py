"""axe-core on a page: it knows the rules that a screen reader, a keyboard and weak eyes depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from playwright.sync_api import Page

OPTIONS = {"resultTypes": ["violations"], "rules": {"page-has-heading-one": {"enabled": False}}}
"""The player is a part of a page: its heading is the page's."""

SETTLED = """() => {
  const app = document.querySelector("[data-testid=stApp]");
  const moving = document.getAnimations().some((one) =>
    one.playState === "running" && Number.isFinite(one.effect.getComputedTiming().endTime));
  const stale = document.querySelector("[data-stale=true]");
  return !moving && !stale && (!app || app.dataset.testScriptState === "notRunning");
}"""
"""While Streamlit runs the page again it fades what is old: that has no contrast, and is soon gone."""


def serious_faults(page: Page) -> list[str]:
    """Return the serious and critical faults of the page, once nothing moves: the rule, and where it is broken."""
    page.wait_for_function(SETTLED)
    found = Axe().run(page, options=OPTIONS).response["violations"]
    return [
        f"{fault['id']}: {node['target']}"
        for fault in found
        if fault["impact"] in {"serious", "critical"}
        for node in fault["nodes"]
    ]
