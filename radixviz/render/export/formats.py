"""The kinds of files that a run can be written as, by the ending of the file's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from radixviz.errors import UnknownSuffix
from radixviz.render.export.chromium import print_pdf, require_chromium
from radixviz.render.export.film import film
from radixviz.render.export.frame_svg import frame_svg
from radixviz.render.export.handout import Handout, HandoutKind, handout_html
from radixviz.render.export.png import svg_to_png
from radixviz.render.export.standalone import standalone_html
from radixviz.render.export.timeline_json import write_timeline
from radixviz.render.layout import find_engine
from radixviz.render.player_data import PlayerIntro, player_data
from radixviz.render.words import BOTH, LANGUAGES
from radixviz.timeline import Frame, Timeline


@dataclass(frozen=True, slots=True)
class Exported:
    """What a writer may need: the run, its introduction, the frame that was asked for (None: none), the language.

    `lang` may be `radixviz.render.words.BOTH` for pages. `kind` says what a page is: None is the player.
    `font` is a font file to draw with besides the system's.
    """

    timeline: Timeline
    intro: PlayerIntro | None
    frame: Frame | None
    lang: str
    kind: HandoutKind | None = None
    font: Path | None = None

    @property
    def shown(self) -> Frame:
        """The frame that a picture shows."""
        return self.timeline.frames[0] if self.frame is None else self.frame


def write(suffix: str, given: Exported) -> bytes:
    """Return the bytes of a file with this ending.

    Raises:
        UnknownSuffix: nothing is written so.
        NoChineseFont, BadFont: of pictures.
        NoChromium, PdfRefused: of a PDF.
    """
    return writer(suffix)(given)


def _html(given: Exported) -> bytes:
    if given.kind is not None:
        return _page(given, given.kind).encode()
    data = player_data(given.timeline, find_engine(), given.intro)
    return standalone_html(data, given.lang, -1 if given.frame is None else given.frame.index).encode()


def _pdf(given: Exported) -> bytes:
    return print_pdf(_page(given, given.kind or "handout", given.font), require_chromium())


def _page(given: Exported, kind: HandoutKind, font: Path | None = None) -> str:
    langs = LANGUAGES if given.lang == BOTH else (given.lang,)
    return handout_html(given.timeline, Handout(kind, langs, find_engine(), font))


def _svg(given: Exported) -> bytes:
    return frame_svg(given.timeline, given.shown, given.lang, find_engine()).encode()


def _png(given: Exported) -> bytes:
    return svg_to_png(_svg(given).decode(), given.font)


def _gif(given: Exported) -> bytes:
    return film(given.timeline, given.timeline.frames, given.lang, find_engine(), kind="GIF", font=given.font)


def _webp(given: Exported) -> bytes:
    return film(given.timeline, given.timeline.frames, given.lang, find_engine(), kind="WEBP", font=given.font)


def _json(given: Exported) -> bytes:
    return write_timeline(given.timeline)


Writer = Callable[[Exported], bytes]
WRITERS: Mapping[str, Writer] = {
    ".html": _html,
    ".pdf": _pdf,
    ".svg": _svg,
    ".png": _png,
    ".gif": _gif,
    ".webp": _webp,
    ".json": _json,
}
"""By the ending of the file."""
DRAWN = (".png", ".gif", ".webp", ".pdf")
"""The files that letters are drawn into, with the fonts of this machine."""
STILLS = (".svg", ".png")
"""The files that show one frame."""
PAGES = (".html", ".pdf")
"""The files that may be printed pages."""


def writer(suffix: str) -> Writer:
    """Return what writes files with this ending; UnknownSuffix when nothing does."""
    if suffix.lower() not in WRITERS:
        raise UnknownSuffix(suffix, tuple(WRITERS))
    return WRITERS[suffix.lower()]
