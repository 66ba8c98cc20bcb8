"""Mounts a drawing of `radixviz.render` in the page, so that it takes on the page's theme."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from radixviz.render.attention_svg import attention_styles

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer


def show_figure(svg: str, key: str) -> None:
    """Show an SVG as wide as there is room; its texts are escaped by whoever drew it."""
    _component()(key=key, data={"svg": svg})


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component(
        "radixviz_figure",
        html='<div class="rv-figure"></div>',
        css=attention_styles(),
        js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
    )
