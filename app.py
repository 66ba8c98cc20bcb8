"""The app: `streamlit run app.py`. Page configuration and navigation only."""

from __future__ import annotations

import streamlit as st

from radixviz.render.words import say
from radixviz.ui.components.page_links import SHARING, TOUR, page_at
from radixviz.ui.pages.presenter import show_presenter
from radixviz.ui.pages.sharing import show_sharing
from radixviz.ui.pages.tour import show_tour
from radixviz.ui.state import asked_lesson, page_language

TITLE = say(page_language(), "app.title")
st.set_page_config(page_title=TITLE, layout="wide", initial_sidebar_state="collapsed")
SHOWN = show_presenter if asked_lesson().presenter else show_tour
PAGES = [page_at(TOUR, SHOWN, TITLE), page_at(SHARING, show_sharing, say(page_language(), SHARING.word))]
st.navigation(PAGES, position="hidden").run()
