from __future__ import annotations

import re
from html import unescape
from xml.etree import ElementTree

import pytest

from radixviz.render.attention_svg import CELL, AttentionPicture, attention_styles, attention_svg, number_contrast
from radixviz.render.theme import Theme

PICTURE = AttentionPicture(("<a>", "b", "⏎", "d"), 2, ((0.7, 0.28, 0.02, 0.0), (0.049, 0.051, 0.4, 0.5)))


def drawn(lang: str = "en") -> ElementTree.Element:
    """Return the drawing of two cached and two computed tokens."""
    return ElementTree.fromstring(attention_svg(PICTURE, lang))


def cells(css: str) -> list[tuple[int, int, str]]:
    """Return row, column and weight of each cell of this kind, counted from the first hatched one."""
    svg = drawn()
    rects = [rect for rect in svg.iter("rect") if rect.get("width") == f"{CELL:g}"]
    first = next(rect for rect in rects if rect.get("class") == "rv-hatch")
    left, top = float(first.attrib["x"]), float(first.attrib["y"])
    return [
        (
            round((float(rect.attrib["y"]) - top) / CELL),
            round((float(rect.attrib["x"]) - left) / CELL),
            rect.get("style", ""),
        )
        for rect in rects
        if css in rect.attrib["class"].split()
    ]


def test_skipped_rows_are_hatched() -> None:
    """The rows of cached tokens, up to the diagonal, and nothing else."""
    assert [cell[:2] for cell in cells("rv-hatch")] == [(0, 0), (1, 0), (1, 1)]


def test_computed_rows_look_at_all_columns_before_them() -> None:
    """Columns of the prefix are of the pool, the others new, each as strong as its weight; later ones are not there."""
    assert cells("rv-pool") == [
        (2, 0, "--w:0.700"),
        (2, 1, "--w:0.280"),
        (3, 0, "--w:0.049"),
        (3, 1, "--w:0.051"),
    ]
    assert cells("rv-now") == [(2, 2, "--w:0.020"), (3, 2, "--w:0.400"), (3, 3, "--w:0.500")]


def test_numbers_are_percents_from_five_on() -> None:
    """A smaller share has no number."""
    numbers = [text.text for text in drawn().iter("text") if text.get("class") == "rv-number"]
    assert numbers == ["70", "28", "5", "40", "50"]


@pytest.mark.parametrize(
    ("lang", "notes"),
    [
        ("en", ["prefix: 2 reused", "suffix: 2 computed", "2 rows skipped:", "an earlier request ran them"]),
        ("zh", ["前缀：复用 2 个", "后缀：计算 2 个", "跳过 2 行：", "先前的请求已经算过"]),
    ],
)
def test_the_parts_are_named_in_the_readers_language(lang: str, notes: list[str]) -> None:
    """Prefix, suffix and skipped rows, and a legend of the three kinds of cells; tokens stand on both sides."""
    texts = [text.text for text in drawn(lang).iter("text") if text.get("class") == "rv-note"]
    assert (texts[:4], len(texts)) == (notes, 7)
    tokens = [text.text for text in drawn(lang).iter("text") if "rv-token" in str(text.get("class"))]
    assert tokens == [token for token in PICTURE.tokens for _ in range(2)]


def test_it_can_be_heard() -> None:
    """The picture has a label that says what it shows."""
    svg = drawn()
    assert svg.get("role") == "img"
    assert svg.get("aria-label") == (
        "Attention of the last 2 of 4 tokens to all tokens before them; the rows of the first 2 are skipped"
    )
    assert unescape(attention_svg(PICTURE, "en")).count("<a>") == 2


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_numbers_can_be_read_on_every_cell(theme: Theme) -> None:
    """At least 4.5:1, from the faintest cell to the strongest."""
    assert min(number_contrast(theme, weight / 20) for weight in range(21)) >= 4.5


def test_the_styles_define_what_they_use() -> None:
    """Each class of the drawing has a rule, and each colour is one of the palette's, in both themes."""
    styles = attention_styles()
    used = {name for found in re.findall(r'class="([^"]+)"', attention_svg(PICTURE, "en")) for name in found.split()}
    assert {name for name in used if f".{name}" not in styles} == set()
    for theme in ("light", "dark"):
        rule = re.search(rf"\.rv-figure\[data-theme={theme}\]\{{(.*?)\}}", styles)
        assert rule is not None
        defined = set(re.findall(r"(--[\w-]+):", rule[1])) | {"--w", "--st-font", "--st-code-font"}
        assert set(re.findall(r"var\((--[\w-]+)", styles)) <= defined
