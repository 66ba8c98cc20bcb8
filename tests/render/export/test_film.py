from __future__ import annotations

import io
from dataclasses import replace
from typing import Literal

import pytest
from PIL import Image, ImageSequence

from radixviz.render.export.film import SHOWN_MS, STOP_MS, film
from radixviz.render.layout import find_engine
from radixviz.timeline import NodeMark
from tests.render.small_timeline import frame, node, timeline


@pytest.mark.parametrize("kind", ["GIF", "WEBP"])
def test_a_film_has_one_picture_for_each_frame(kind: Literal["GIF", "WEBP"]) -> None:
    """Frames are counted, all are of one size, a stop is shown longer, it begins anew, and it is the same each time."""
    marks = {1: NodeMark("new", "SYS")}
    frames = [frame([node(1, None, "abc")], marks, index=index, stage_frame=index + 1) for index in range(3)]
    frames[1] = replace(frames[1], stop=0)
    told = timeline(*frames)
    data = film(told, told.frames, "en", find_engine(), kind=kind)
    picture = Image.open(io.BytesIO(data))
    pictures = [one.convert("RGB") for one in ImageSequence.Iterator(picture)]
    durations = []
    for number in range(3):
        picture.seek(number)
        picture.load()
        durations.append(picture.info["duration"])

    assert picture.format == kind
    assert len(pictures) == 3
    assert {one.size for one in pictures} == {picture.size}
    assert len({one.tobytes() for one in pictures}) == 3
    assert durations == [SHOWN_MS, STOP_MS, SHOWN_MS]
    assert picture.info["loop"] == 0
    assert film(told, told.frames, "en", find_engine(), kind=kind) == data
