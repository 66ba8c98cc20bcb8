"""The app: `streamlit run app.py`. Page configuration and navigation only."""

from __future__ import annotations

import streamlit as st

from radixviz.render.words import say
from radixviz.ui.pages.presenter import show_presenter
from radixviz.ui.pages.proof import PATH, show_proof
from radixviz.ui.pages.tour import show_tour
from radixviz.ui.state import asked_lesson, page_language

TITLE = say(page_language(), "app.title")
st.set_page_config(page_title=TITLE, layout="wide", initial_sidebar_state="collapsed")
SHOWN = show_presenter if asked_lesson().presenter else show_tour
PAGES = [st.Page(SHOWN, title=TITLE, default=True), st.Page(show_proof, title=TITLE, url_path=PATH)]
st.navigation(PAGES, position="hidden").run()
