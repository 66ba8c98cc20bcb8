"""The choice of the model in the row below the player, and what fetching the others takes."""

from __future__ import annotations

import streamlit as st

from radixviz.command_line import UsageError
from radixviz.render.words import say
from radixviz.ui.components.start_up import show_error
from radixviz.ui.offered_models import OfferedModels, absent_models
from radixviz.ui.state import choose_in_address

MODEL, PANEL = "radixviz.model", "radixviz.models"
_MEGABYTE = 1_000_000


def show_models(offered: OfferedModels, shown: str, lang: str) -> None:
    """Offer the models that are here; the choice goes into the address, from where a session follows it."""
    names = list(offered.sources)
    with st.popover(f"{say(lang, 'proof.model')}{say(lang, 'colon')}{shown}", key=PANEL):
        st.radio(
            say(lang, "proof.model"),
            names,
            index=names.index(shown),
            key=f"{MODEL}.{shown}",  # a new one when a link has chosen another
            on_change=choose_in_address,
            args=("model", f"{MODEL}.{shown}"),
        )
        for text in absent_texts(lang):
            st.markdown(text)


def show_refused_model(offered: OfferedModels, lang: str) -> None:
    """Say why the configured model is not offered."""
    if isinstance(offered.error, UsageError):
        st.error(str(offered.error))
    elif offered.error is not None:
        show_error(offered.error, lang)


def absent_texts(lang: str) -> list[str]:
    """Return in Markdown what fetching the models takes that are not here."""
    return [
        say(
            lang,
            "proof.fetch",
            model=model,
            size=round(size / _MEGABYTE),
            command=f"`python -m radixviz fetch {model}`",
        )
        for model, size in absent_models().items()
    ]
