"""The pages of the app, and the row of links from one to the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from radixviz.render.words import say


@dataclass(frozen=True, slots=True)
class Place:
    """A page: the key of its name in the word lists, and its path in the address; the first page has none."""

    word: str
    url_path: str = ""


TOUR = Place("pages.tour")
SHARING = Place("pages.sharing", "sharing")
PLACES = (TOUR, SHARING)


def page_at(place: Place, show: Callable[[], None], title: str) -> st.Page:
    """Return Streamlit's page for a place, which `show` fills."""
    return st.Page(show, title=title, url_path=place.url_path or None, default=not place.url_path)


def show_links(here: Place, lang: str) -> None:
    """Show a link to each other page. It keeps what the address says, so that the way back leads to the same step."""
    address = {"lang": lang, **st.query_params.to_dict()}
    for place in PLACES:
        if place != here:
            name = say(lang, place.word)
            st.page_link(page_at(place, _elsewhere, name), label=name, query_params=address)


def _elsewhere() -> None:
    """Stand for the function that fills another page: a link needs the path only."""
