"""What the story expected in vain, below the player."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from radixviz.render.explain import explain_unmet
from radixviz.render.words import say
from radixviz.timeline import Unmet
from radixviz.ui.components.plain_text import as_text

_FEW = 6


def show_unmet(unmet: Sequence[Unmet], lang: str) -> None:
    """Say that the story does not go as it was written, and list where; a long list is open on demand only."""
    with st.expander(say(lang, "unmet.lead"), expanded=len(unmet) <= _FEW):
        st.caption("\n".join(f"- {as_text(explain_unmet(one, lang))}" for one in unmet))
