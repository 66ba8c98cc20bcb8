"""The page "same answer?": the last proof at once, and a button that measures again."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from radixviz.model.loader import DTYPES
from radixviz.render.words import say
from radixviz.ui.components.language import show_languages
from radixviz.ui.components.lesson import show_walker
from radixviz.ui.components.model_choice import absent_texts, show_refused_model
from radixviz.ui.components.page_links import PROOF, show_links
from radixviz.ui.components.page_style import style_page
from radixviz.ui.components.proof import show_proof_progress, show_proof_result
from radixviz.ui.components.start_up import show_error
from radixviz.ui.kept_proof import read_proof
from radixviz.ui.offered_models import find_models
from radixviz.ui.proof_job import proof_job
from radixviz.ui.state import page_language, read_address
from radixviz.ui.story import NINE_STAGES

MODEL, DTYPE, MEASURE = "radixviz.proof.model", "radixviz.proof.dtype", "radixviz.proof.measure"
_STYLE = Path(__file__).parents[1] / "components" / "proof_style.css"


def show_proof() -> None:
    """Show the proof of the chosen model, what is being measured, and the choice."""
    lang = page_language()
    style_page()
    st.html(f"<style>{_STYLE.read_text(encoding='utf-8')}</style>")
    _show_head(lang)
    st.markdown(say(lang, "proof.question"))
    offered = find_models(lang)
    names, asked = list(offered.sources), read_address().model
    first = asked if asked in names else offered.usual
    result, choice = st.container(), st.container(horizontal=True, vertical_alignment="bottom")
    with choice:
        shown = st.selectbox(say(lang, "proof.model"), names, names.index(first), key=MODEL, width=200)
        model = offered.sources[shown]
        dtype = st.selectbox(say(lang, "proof.dtype"), DTYPES, key=DTYPE, width=200)
        job = proof_job(model, dtype)
        running = job.running  # before its result is looked at: what comes between is then seen as a change
        st.button(say(lang, "proof.measure"), key=MEASURE, type="primary", on_click=job.start, disabled=running)
    with result:
        kept = job.kept or read_proof(model, dtype)
        if kept is not None:
            show_proof_result(kept, lang)
        else:
            st.caption(say(lang, "proof.none"))
        if running:
            show_proof_progress(job, lang)
        if job.error is not None:
            show_error(job.error, lang)
    show_refused_model(offered, lang)
    for text in absent_texts(lang):
        st.caption(text)
    show_walker(NINE_STAGES, lang)


def _show_head(lang: str) -> None:
    """Show the title, the ways to the other pages and the languages."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"## {say(lang, 'proof.title')}", width="stretch")
        show_links(PROOF, lang)
        show_languages(lang)
