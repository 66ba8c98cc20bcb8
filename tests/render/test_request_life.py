from __future__ import annotations

import re

import pytest

from radixviz.events import NodeEvicted, PageShort
from radixviz.render.request_life import life_track
from radixviz.timeline import TokenSpan
from tests.render.small_timeline import frame, ids, sequence

SEQUENCES = (sequence("ab", [TokenSpan("computed", 2)]),)


def steps(html: str) -> list[str]:
    """Return the state of each phase."""
    return re.findall(r'class="rv-(\w+)" data-phase-step', html)


def test_the_present_phase_is_lit() -> None:
    """What lies behind is past, what lies ahead is still to do."""
    assert steps(life_track(frame(phase="extend", sequences=SEQUENCES), "en")) == [
        "past",
        "past",
        "now",
        "todo",
        "todo",
    ]
    assert steps(life_track(frame(phase="done", sequences=SEQUENCES), "en")) == ["past"] * 5
    assert steps(life_track(frame(phase="done"), "en")) == ["todo"] * 5


@pytest.mark.parametrize(("lang", "text"), [("en", "evict: 1 page short, 3 freed"), ("zh", "淘汰：缺 1 页，释放 3 页")])
def test_eviction_is_a_side_track(lang: str, text: str) -> None:
    """It says how many pages were short and how many came back."""
    events = (PageShort("A1", 1, "decode"), NodeEvicted(4, None, ids("abc"), (7, 8, 9)))
    html = life_track(frame(phase="decode", sequences=SEQUENCES, events=events), lang)
    assert f'data-short="1" data-freed="3">{text}</div>' in html


def test_without_an_eviction_the_side_track_keeps_its_place() -> None:
    """It is there, empty and invisible, so that nothing moves when it comes."""
    assert '<div class="rv-side-track rv-empty"></div>' in life_track(frame(sequences=SEQUENCES), "en")
