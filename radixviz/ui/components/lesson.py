"""Mounts what a lesson needs in the browser: the walker beside the player, and the presenter's window."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from radixviz.errors import RadixVizError
from radixviz.render.player_script import PLAYER_FOLDER
from radixviz.ui.components.player import PlayerText
from radixviz.ui.components.start_up import show_error
from radixviz.ui.lessons import lesson_data, lesson_named
from radixviz.ui.state import asked_lesson

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer
    from streamlit.delta_generator import DeltaGenerator

Part = Literal["walker", "presenter"]


def show_walker(
    scenario: str, lang: str, text: PlayerText | None = None, *, faults: DeltaGenerator | None = None
) -> None:
    """Show the walker of the lesson that the address names; `text` is the player's, if any.

    Why there is none is said in `faults`, or else here.
    """
    asked = asked_lesson()
    if asked.name is None:
        return
    try:
        show_lesson("walker", lesson_data(lesson_named(asked.name), lang, scenario, text))
    except RadixVizError as error:
        with faults or st.container():
            show_error(error, lang)


def show_lesson(part: Part, data: Mapping[str, Any]) -> None:
    """Show one part of a lesson; `radixviz.ui.lessons.lesson_data` gives its data."""
    _component(part)(key=f"radixviz.{part}", data=data)


@cache
def _component(part: Part) -> ComponentRenderer:
    html, css, js = (
        (PLAYER_FOLDER / "lesson" / f"{part}.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js")
    )
    return st.components.v2.component(f"radixviz_{part}", html=html, css=css, js=js)
