from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixviz.render.token_fold import Cell, cells
from radixviz.render.token_strip import token_strips
from radixviz.timeline import TokenKind, TokenSpan
from tests.render.small_timeline import BYTES, frame, ids, sequence, timeline

KINDS: tuple[TokenKind, ...] = ("reused", "pending", "computed", "again", "generated")


def seen(html: str) -> list[tuple[str, str, str]]:
    """Return index, kind and text of each token of a strip."""
    found = re.findall(r'data-token="(\d+)" data-kind="(\w+)">(.*?)</span>', html)
    return [(index, kind, unescape(re.sub("<[^>]+>", "", text))) for index, kind, text in found]


def test_each_token_has_its_kind_and_its_exact_text() -> None:
    """Spaces stay in the text, newlines become signs, markup is text."""
    spans = [TokenSpan("reused", 2), TokenSpan("computed", 2), TokenSpan("generated", 1)]
    now = frame(sequences=(sequence("a <\n&", spans),))
    assert seen(token_strips(timeline(now), now, "en")) == [
        ("0", "reused", "a"),
        ("1", "reused", " "),
        ("2", "computed", "<"),
        ("3", "computed", "⏎"),
        ("4", "generated", "&"),
    ]


@pytest.mark.parametrize(
    ("lang", "head"),
    [
        ("en", "1 reused2 to compute A1 · session A, turn 1 · running"),
        ("zh", "1 复用2 待算 A1 · 会话 A，第 1 轮 · 运行中"),
    ],
)
def test_the_head_counts_what_is_there(lang: str, head: str) -> None:
    """Kinds without a token are not named."""
    now = frame(sequences=(sequence("abc", [TokenSpan("reused", 1), TokenSpan("pending", 2)]),))
    html = token_strips(timeline(now), now, lang)
    shown = re.search(r'rv-strip-head">(.*?)</div>', html)
    assert shown is not None
    assert re.sub("<[^>]+>", "", shown[1].replace('<span class="rv-strip-title">', " ")) == head


def test_samples_get_one_line_each() -> None:
    """Four sequences are compact, and each is named by its number."""
    spans = [TokenSpan("reused", 2), TokenSpan("generated", 1)]
    four = [sequence("abc", spans, sample=n, samples=4) for n in (1, 2, 3, 4)]
    now = frame(sequences=four)
    html = token_strips(timeline(now), now, "en")
    assert re.findall(r'data-sequence="([^"]+)"', html) == ["A1#1", "A1#2", "A1#3", "A1#4"]
    assert "rv-compact" in html
    assert re.findall(r"A1 · sample \d · running", html) == [f"A1 · sample {n} · running" for n in (1, 2, 3, 4)]


def test_a_stage_without_a_request_says_so() -> None:
    """The strip is not empty."""
    now = frame()
    assert re.sub("<[^>]+>", "", token_strips(timeline(now), now, "en")) == "No request in this stage."


def test_the_middle_of_a_long_run_is_folded() -> None:
    """Short runs stay whole, the long one keeps its two ends and counts what is left out."""
    token_ids = ids("x" * 100 + "y" * 3)
    row = cells(token_ids, [TokenSpan("reused", 100), TokenSpan("generated", 3)], BYTES, 60)
    folded = [cell for cell in row if cell.folded]
    assert folded == [Cell(9, "reused", "", 82)]
    assert [cell.index for cell in row if not cell.folded] == [*range(9), *range(91, 103)]


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 80)), max_size=6), st.integers(30, 500))
def test_folding_loses_no_token(runs: list[tuple[TokenKind, int]], room: int) -> None:
    """What is shown and what is folded add up to each run, in order."""
    spans = [TokenSpan(kind, count) for kind, count in runs]
    total = sum(count for _, count in runs)
    row = cells(ids(b"a" * total), spans, BYTES, room)
    position = 0
    for cell in row:
        assert cell.index == position
        position += cell.folded or 1
    assert position == total
