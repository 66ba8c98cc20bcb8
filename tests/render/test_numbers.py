from __future__ import annotations

import re

from radixviz.render.numbers import number_panel, prompts
from radixviz.timeline import NodeMark, TokenSpan
from tests.render.small_timeline import frame, node, sequence

SPANS = [TokenSpan("reused", 2), TokenSpan("computed", 1), TokenSpan("again", 1), TokenSpan("generated", 1)]


def values(html: str) -> dict[str, str]:
    """Return the numbers by their names."""
    return dict(re.findall(r'data-number="([\w.]+)"><b>([^<]*)</b>', html))


def test_the_numbers_of_one_request_and_the_totals() -> None:
    """L, L_hit, what was computed (again counts too), and the run's hit rate and sums."""
    assert values(number_panel(frame(sequences=(sequence("abcde", SPANS),)), "en")) == {
        "prompt": "4",
        "hit": "2",
        "computed": "2",
        "hit_rate.total": "25%",
        "saved.total": "10",
        "computed.total": "30",
    }


def test_a_batch_shows_one_number_for_each_request() -> None:
    """Two requests side by side."""
    two = (sequence("abcde", SPANS, name="F2"), sequence("abc", [TokenSpan("computed", 3)], name="F3"))
    found = values(number_panel(frame(sequences=two), "en"))
    assert (found["prompt"], found["hit"], found["computed"]) == ("4 + 3", "2 + 0", "2 + 3")


def test_samples_count_once() -> None:
    """Four samples are one prompt."""
    four = [sequence("abcde", SPANS, name="F4", sample=n, samples=4) for n in (1, 2, 3, 4)]
    assert [one.sequence_id for one in prompts(frame(sequences=four))] == ["F4#1"]


def test_locks_are_listed_by_name() -> None:
    """A node without a name is called by its id; without locks the line says so."""
    now = frame((node(1, None, "a", lock_ref=2), node(5, 1, "b", slot=2, lock_ref=1)), {1: NodeMark("hit", "SYS")})
    assert "<b>lock_ref</b> SYS 2 · #5 1</p>" in number_panel(now, "en")
    assert 'data-locks="0"' in number_panel(frame(), "zh")
