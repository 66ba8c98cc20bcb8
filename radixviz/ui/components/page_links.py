"""The pages of the app, and the row of links from one to the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from radixviz.render.words import say
from radixviz.ui.asked_stage import forget_asked
from radixviz.ui.state import address_parameters, forget_report


@dataclass(frozen=True, slots=True)
class Place:
    """A page: its path in the address (the first page has none), the key of its name, and that of the tab's title."""

    url_path: str
    name: str
    title: str


TOUR = Place("", "pages.tour", "app.title")
PROOF = Place("proof", "proof.title", "proof.title")
SHARING = Place("sharing", "pages.sharing", "pages.sharing")
PLACES = (TOUR, PROOF, SHARING)


def page_at(place: Place, lang: str, show: Callable[[], None]) -> st.Page:
    """Return Streamlit's page for a place, which `show` fills."""
    title = say(lang, place.title)
    return st.Page(show, title=title, url_path=place.url_path or None, default=not place.url_path)


def show_links(here: Place, lang: str) -> None:
    """Show a link to each other page. It keeps what the address says, so that the way back leads to the same step."""
    if here != TOUR:
        forget_report()
        forget_asked()
    address = {"lang": lang, **address_parameters()}
    for place in PLACES:
        if place != here:
            st.page_link(page_at(place, lang, _elsewhere), label=say(lang, place.name), query_params=address)


def _elsewhere() -> None:
    """Stand for the function that fills another page: a link needs the path only."""
