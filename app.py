"""The app: `streamlit run app.py`. Page configuration and navigation only."""

from __future__ import annotations

import streamlit as st

from radixviz.render.words import say
from radixviz.ui.pages.tour import show_tour

st.set_page_config(page_title=say("en", "app.title"), layout="wide", initial_sidebar_state="collapsed")
st.navigation([st.Page(show_tour, title=say("en", "app.title"), default=True)], position="hidden").run()
