"""The app: `streamlit run app.py`. Page configuration and navigation only."""

from __future__ import annotations

import streamlit as st

from radixviz.render.words import say
from radixviz.ui.pages.tour import show_tour
from radixviz.ui.state import page_language

TITLE = say(page_language(), "app.title")
st.set_page_config(page_title=TITLE, layout="wide", initial_sidebar_state="collapsed")
st.navigation([st.Page(show_tour, title=TITLE, default=True)], position="hidden").run()
