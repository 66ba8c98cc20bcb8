"""The switch of languages for a page that has none in a component of its own."""

from __future__ import annotations

import streamlit as st

from radixviz.render.words import say
from radixviz.ui.state import LANGUAGES, choose_language

LANGUAGE = "radixviz.language"


def show_languages(lang: str) -> None:
    """Offer the languages; the choice goes into the address."""
    st.segmented_control(
        say(lang, "pages.language"),
        LANGUAGES,
        default=lang,
        required=True,
        format_func=lambda one: say(one, f"lang.{one}"),
        key=LANGUAGE,
        on_change=choose_language,
        args=(LANGUAGE,),
        label_visibility="collapsed",
    )
