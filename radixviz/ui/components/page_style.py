"""What every page does first: the style of what Streamlit puts around it."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_STYLE = Path(__file__).with_suffix(".css")


def style_page() -> None:
    """Take away Streamlit's header and most of its padding."""
    st.html(f"<style>{_STYLE.read_text(encoding='utf-8')}</style>")
