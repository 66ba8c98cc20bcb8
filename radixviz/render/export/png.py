"""SVG to PNG by resvg with the system's fonts, or with a font file that the reader names; no font is shipped."""

from __future__ import annotations

import re
from pathlib import Path

from PIL import ImageFont

from radixviz.errors import BadFont, NoChineseFont

_CHINESE = re.compile("[\u3400-\u9fff]")
_UNASSIGNED = "\U0010fffd"
"""A character that no font has: it comes out as a missing character does."""
_GENERIC = ("font_family", "serif_family", "sans_serif_family", "monospace_family")
"""What stands for the families that this machine lacks."""


def check_font(font: Path) -> None:
    """Raise BadFont unless the file is a font that can be used."""
    if not font.is_file() or _draw_letter("a", font, system=False) == _draw_letter("a", None, system=False):
        raise BadFont(str(font))


def check_chinese(font: Path | None) -> None:
    """Raise NoChineseFont when neither the system's fonts nor this one have Chinese."""
    if _draw_letter("页", font) == _draw_letter(_UNASSIGNED, font):
        raise NoChineseFont()


def svg_to_png(svg: str, font: Path | None = None, zoom: float = 2.0) -> bytes:
    """Return the PNG of an SVG, `zoom` pixels for each of its own.

    Raises:
        BadFont: the font file cannot be used.
        NoChineseFont: there is Chinese in it, and no font for that.
    """
    if font is not None:
        check_font(font)
    if _CHINESE.search(svg):
        check_chinese(font)
    return draw_png(svg, font, zoom=zoom)


def draw_png(svg: str, font: Path | None = None, zoom: float = 1.0) -> bytes:
    """Return the PNG as `svg_to_png` does, without a look at the fonts: for the second and later pictures of many."""
    return _render(svg, font, zoom=zoom)


def _draw_letter(letter: str, font: Path | None, *, system: bool = True) -> bytes:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24">'
        f'<text x="2" y="20" font-size="18">{letter}</text></svg>'
    )
    return _render(svg, font, system=system)


def _render(svg: str, font: Path | None, *, zoom: float = 1.0, system: bool = True) -> bytes:
    import resvg_py

    files = None if font is None else [str(font)]
    named = {} if font is None else dict.fromkeys(_GENERIC, _family(font))
    drawn = resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, font_files=files, skip_system_fonts=not system, **named)
    return bytes(drawn)


def _family(font: Path) -> str | None:
    """Return how the font in a file is called, None where there is none: resvg finds fonts by name only."""
    try:
        return ImageFont.truetype(font).getname()[0]
    except OSError:
        return None
