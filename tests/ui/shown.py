"""What a page shows: the data that the player's component was given, read back."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

from streamlit.testing.v1 import AppTest


def given(app: AppTest) -> dict[str, Any]:
    """Return the data of the player."""
    found: dict[str, Any] = json.loads(_component(app)["player"])
    return found


def place(app: AppTest) -> tuple[str, int]:
    """Return stage and frame where the reader begins."""
    index = _component(app)["start"]["frame"]
    if index < 0:
        return "0", 1
    frame = given(app)["frames"][index]
    return str(given(app)["stages"][frame["s"]]["stage"]), frame["n"]


def lang(app: AppTest) -> str:
    """Return the language in which the reader begins."""
    found: str = _component(app)["start"]["lang"]
    return found


def start(app: AppTest) -> dict[str, Any]:
    """Return how the reader begins."""
    found: dict[str, Any] = _component(app)["start"]
    return found


def notices(app: AppTest, language: str = "en") -> list[str]:
    """Return what is said about the address."""
    found: list[str] = (_component(app)["start"]["notices"] or {}).get(language, [])
    return found


def awaited(app: AppTest) -> dict[str, Any] | None:
    """Return what the player is told of a stage that the reader has asked for."""
    found: dict[str, Any] | None = _component(app)["awaited"]
    return found


def steps_text(app: AppTest) -> str:
    """Return what stands beside the player of a stepped tour, as text."""
    bodies = [element.proto.body for element in app.get("html")]
    (told,) = (body for body in bodies if body.startswith('<div class="rv-told'))
    return unescape(re.sub("<[^>]*>", " ", told)).strip()


def _component(app: AppTest) -> dict[str, Any]:
    components = (json.loads(component.proto.json) for component in app.get("bidi_component"))
    found: dict[str, Any] = next(data for data in components if "player" in data)
    return found
