"""What the page saves and opens, in a panel that stands below the player: files are made when they are asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from radixviz.errors import NoChineseFont
from radixviz.introduction import both
from radixviz.render.explain import explain
from radixviz.render.export.formats import Exported, write
from radixviz.render.export.frame_svg import frame_svg
from radixviz.render.export.handout import HANDOUT_KINDS
from radixviz.render.export.png import check_chinese
from radixviz.render.player_data import PlayerIntro
from radixviz.render.player_script import PLAYER_FOLDER
from radixviz.render.words import BOTH, say
from radixviz.scenario.lesson import lesson_names
from radixviz.timeline import Frame, Timeline
from radixviz.ui.components.plain_text import as_text
from radixviz.ui.lessons import lesson_named
from radixviz.ui.opened_run import back_to_tour, open_upload
from radixviz.ui.state import Opened, View

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

PANEL, PNG, BACK = "radixviz.files", "radixviz.save_png", "radixviz.back"
_FILMS = {".gif": "files.gif", ".webp": "files.webp"}


@dataclass(frozen=True, slots=True)
class ShownRun:
    """What is to be saved: the run (None: it is not there yet), its introduction, the frame that is shown."""

    timeline: Timeline | None
    intro: PlayerIntro | None
    frame: Frame | None
    engine: Path | None
    view: View


def show_files(run: ShownRun, opened: Opened) -> None:
    """Show the panel, and beside it which file is shown and the way back."""
    lang = run.view.lang
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover(say(lang, "files.title"), key=PANEL):
            _show_saving(run)
            _show_opening(lang, opened)
            _show_lessons(run.view)
        if opened.timeline is not None:
            st.caption(as_text(say(lang, "files.shown", name=opened.name)), width="content")
            st.button(say(lang, "files.back"), key=BACK, on_click=back_to_tour)


def _show_saving(run: ShownRun) -> None:
    if run.timeline is None:
        st.caption(say(run.view.lang, "files.waiting"))
        return
    given = Exported(run.timeline, run.intro, run.frame, run.view.lang)
    page = replace(given, lang=BOTH) if run.view.both else given
    left, right = st.columns(2)
    with left:
        _button(page, ".html", say(given.lang, "files.html"))
        _button(given, ".json", say(given.lang, "files.json"))
        _show_films(given)
    with right:
        for kind in HANDOUT_KINDS:
            _button(replace(page, kind=kind, frame=None), ".html", say(given.lang, f"handout.{kind}"))
        _button(given, ".svg", say(given.lang, "files.svg"))
        _show_png(given, run.engine)


def _show_films(given: Exported) -> None:
    missing = _missing_font() if given.lang == "zh" else None
    for suffix, word in _FILMS.items():
        _button(given, suffix, say(given.lang, word), missing)
    if missing is not None:
        st.caption(as_text(explain(missing, given.lang)))


def _button(given: Exported, suffix: str, label: str, fault: NoChineseFont | None = None) -> None:
    """Offer one file. The server makes it at the click, and the button shows until then that it is at work."""
    name = given.kind or suffix[1:]
    st.download_button(
        label,
        _maker(given, suffix),
        file_name=_file_name(given, suffix),
        key=f"radixviz.save.{name}",
        on_click="ignore",
        disabled=fault is not None,
        width="stretch",
    )


def _maker(given: Exported, suffix: str) -> Callable[[], bytes]:
    return lambda: write(suffix, given)


def _show_png(given: Exported, engine: Path | None) -> None:
    data = {
        "label": say(given.lang, "files.png"),
        "failed": say(given.lang, "files.png.failed"),
        "name": _file_name(given, ".png"),
        "svg": frame_svg(given.timeline, given.shown, given.lang, engine),
    }
    _png_button()(key=PNG, data=data)


def _show_opening(lang: str, opened: Opened) -> None:
    key = f"radixviz.open.{opened.uploads}"
    st.html(f'<style>:root {{ --rv-choose-file: "{say(lang, "files.choose")}" }}</style>')  # page_style.css writes it
    st.file_uploader(say(lang, "files.open"), key=key, on_change=open_upload, args=(key,))
    if opened.fault is not None:
        st.error(as_text(explain(opened.fault, lang)))


def _show_lessons(view: View) -> None:
    """Offer the shipped lessons, each in a tab of its own in the projector view."""
    for name in lesson_names():
        title = both(lesson_named(name).title)[view.lang]
        address = urlencode({"lesson": name, "present": 1, "lang": BOTH if view.both else view.lang})
        st.link_button(as_text(say(view.lang, "files.lesson", title=title)), f"?{address}", width="stretch")


def _file_name(given: Exported, suffix: str) -> str:
    """Return a name that says what is in the file; the scenario's own may hold anything."""
    frame = given.frame
    where = f"-{frame.stage}.{frame.stage_frame}" if frame is not None and suffix in (".svg", ".png") else ""
    kind = f"-{given.kind}" if given.kind else ""
    name = re.sub(r"[^\w-]+", "-", given.timeline.scenario)[:60]
    return f"{name}{where}{kind}-{given.lang}{suffix}"


@st.cache_resource(show_spinner=False)
def _missing_font() -> NoChineseFont | None:
    try:
        check_chinese(None)
    except NoChineseFont as error:
        return error
    return None


@cache
def _png_button() -> ComponentRenderer:
    script, style = (PLAYER_FOLDER / "save" / f"save_png.{kind}" for kind in ("js", "css"))
    return st.components.v2.component(
        "radixviz_save_png",
        html='<button type="button"></button><p role="status"></p>',
        css=style.read_text(encoding="utf-8"),
        js=script.read_text(encoding="utf-8"),
    )
