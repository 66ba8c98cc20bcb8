"""The run as a moving picture: one picture for each frame of the timeline, all of one size."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from PIL import Image

from radixviz.render.export.frame_svg import frame_svg
from radixviz.render.export.png import draw_png, svg_to_png
from radixviz.render.theme import PALETTES
from radixviz.timeline import Frame, Timeline

SHOWN_MS, STOP_MS = 1600, 3200
"""How long a frame is shown; the author's stops are shown longer."""
_COLORS = 64
"""Enough for the palette and the letters' edges, and far fewer bytes than 256."""


def film(
    timeline: Timeline,
    frames: Sequence[Frame],
    lang: str,
    engine: Path | None,
    *,
    kind: Literal["GIF", "WEBP"],
    font: Path | None = None,
) -> bytes:
    """Return these frames as a film that begins anew at its end.

    Raises as `radixviz.render.export.png.svg_to_png` does.
    """
    drawn = [Image.open(io.BytesIO(png)).convert("RGB") for png in _drawn(timeline, frames, lang, engine, font)]
    size = max(picture.width for picture in drawn), max(picture.height for picture in drawn)
    first, *others = (_ready(picture, size, kind) for picture in drawn)
    target = io.BytesIO()
    durations = [SHOWN_MS if frame.stop is None else STOP_MS for frame in frames]
    options = {"lossless": True, "method": 2} if kind == "WEBP" else {"optimize": True}
    first.save(target, kind, save_all=True, append_images=others, duration=durations, loop=0, **options)
    return target.getvalue()


def _drawn(
    timeline: Timeline, frames: Sequence[Frame], lang: str, engine: Path | None, font: Path | None
) -> Iterator[bytes]:
    """Yield a PNG of each frame; only the first has the fonts looked at, which takes as long as a picture."""
    for number, frame in enumerate(frames):
        svg = frame_svg(timeline, frame, lang, engine)
        yield draw_png(svg, font) if number else svg_to_png(svg, font, zoom=1.0)


def _ready(picture: Image.Image, size: tuple[int, int], kind: str) -> Image.Image:
    whole = Image.new("RGB", size, PALETTES["light"].back)
    whole.paste(picture, ((size[0] - picture.width) // 2, 0))
    return whole.quantize(_COLORS) if kind == "GIF" else whole
