"""The app: `streamlit run app.py`. Page configuration and navigation only."""

from __future__ import annotations

import streamlit as st

from radixviz.render.words import say
from radixviz.ui.components.page_links import PROOF, SHARING, TOUR, page_at
from radixviz.ui.pages.presenter import show_presenter
from radixviz.ui.pages.proof import show_proof
from radixviz.ui.pages.sharing import show_sharing
from radixviz.ui.pages.tour import show_tour
from radixviz.ui.state import asked_lesson, page_language

LANG = page_language()
TITLE = say(LANG, "app.title")
st.set_page_config(page_title=TITLE, layout="wide", initial_sidebar_state="collapsed")
SHOWN = show_presenter if asked_lesson().presenter else show_tour
PAGES = [page_at(TOUR, LANG, SHOWN), page_at(PROOF, LANG, show_proof), page_at(SHARING, LANG, show_sharing)]
st.navigation(PAGES, position="hidden").run()
