"""What a page shows: the player's HTML, read back."""

from __future__ import annotations

import json
import re
from html import unescape

from streamlit.testing.v1 import AppTest


def player(app: AppTest) -> str:
    """Return the HTML that the player's component was given."""
    (component,) = app.get("bidi_component")
    html: str = json.loads(component.proto.json)["html"]
    return html


def place(app: AppTest) -> tuple[str, int]:
    """Return stage and frame of what is shown."""
    found = re.search(r'data-stage="(\w+)" data-phase="\w+" data-frame="(\d+)"', player(app))
    assert found is not None
    return found[1], int(found[2])


def sentence(app: AppTest) -> str:
    """Return the sentence as text."""
    found = re.search(r"data-say>(.*?)</p>", player(app))
    assert found is not None
    return text(found[1])


def notices(app: AppTest) -> list[str]:
    """Return what is said about the address."""
    return [text(found) for found in re.findall(r'role="status">(.*?)</p>', player(app))]


def nodes(app: AppTest) -> list[tuple[str, str, str, int]]:
    """Return name, letter, look and tokens of each node and ghost of the tree, in the order of the page."""
    pattern = r'data-look="(\w+)" data-letter="(\w*)" data-name="([^"]*)" data-tokens="(\d+)"'
    return [(unescape(name), letter, look, int(n)) for look, letter, name, n in re.findall(pattern, player(app))]


def counts(app: AppTest) -> dict[str, int]:
    """Return how many pages are in each state."""
    states = re.findall(r'data-page="\d+" data-state="(\w+)"', player(app))
    return {state: states.count(state) for state in dict.fromkeys(states)}


def text(html: str) -> str:
    """Return HTML without its markup."""
    return unescape(re.sub("<[^>]+>", "", html))
