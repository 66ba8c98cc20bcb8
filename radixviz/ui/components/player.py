"""Shows the player's HTML. `st.html` would drop the SVG, so a component does it, in a shadow root of its own."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from radixviz.render.theme import Theme, style_sheet

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

PLAYER = "radixviz.player"


def show_player(html: str) -> None:
    """Show the HTML of `radixviz.render.page` or `radixviz.render.intro`."""
    _component()(key=PLAYER, data={"html": html})


def page_theme() -> Theme:
    """Return the theme as the server knows it; the browser corrects it when it knows better."""
    return "dark" if st.context.theme.type == "dark" else "light"


@cache
def _component() -> ComponentRenderer:
    script = Path(__file__).with_name("player.js").read_text(encoding="utf-8")
    return st.components.v2.component(
        "radixviz_player", html='<div class="rv-mount"></div>', css=style_sheet(), js=script
    )
