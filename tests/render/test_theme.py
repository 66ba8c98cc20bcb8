from __future__ import annotations

import re
from pathlib import Path

import pytest

from radixviz.render.theme import PALETTES, Theme, contrast, style_sheet

STROKES = [("new", "back"), ("new", "new_fill"), ("hit", "back"), ("hit", "hit_fill"), ("evicted", "back")]
STROKES += [("evicted", "evicted_fill"), ("soft", "back"), ("soft", "panel")]
TEXTS = [("ink", "back"), ("ink", "panel"), ("ink", "new_fill"), ("ink", "hit_fill"), ("ink", "evicted_fill")]
TEXTS += [("soft", "back"), ("soft", "panel"), ("soft", "new_fill"), ("soft", "hit_fill"), ("soft", "evicted_fill")]
TEXTS += [("hit", "back"), ("hit", "hit_fill"), ("new_text", "back"), ("new_text", "new_fill")]
TEXTS += [("evicted_text", "back"), ("evicted_text", "evicted_fill"), ("ink", "faint"), ("soft", "faint")]
TEXTS += [("badge_ink", "hit"), ("badge_ink", "new_text"), ("badge_ink", "evicted_text"), ("badge_ink", "soft")]
TEXTS += [("ink", "cached")]


def test_contrast_is_that_of_wcag() -> None:
    """Black on white is 21:1, and the orange that is too pale for a stroke on white is known."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#E69F00", "#ffffff") == pytest.approx(2.25, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("stroke", "ground"), STROKES)
def test_strokes_stand_out(theme: Theme, stroke: str, ground: str) -> None:
    """Every stroke has at least 3:1 on both its sides."""
    palette = PALETTES[theme]
    assert contrast(getattr(palette, stroke), getattr(palette, ground)) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXTS)
def test_texts_can_be_read(theme: Theme, text: str, ground: str) -> None:
    """Every text has at least 4.5:1 on its ground."""
    palette = PALETTES[theme]
    assert contrast(getattr(palette, text), getattr(palette, ground)) >= 4.5


def test_the_style_sheet_uses_known_colours_only() -> None:
    """Every variable that a rule asks for is defined, and no rule brings a colour of its own."""
    rules = (Path(__file__).parents[2] / "radixviz" / "render" / "player" / "player.css").read_text(encoding="utf-8")
    asked = set(re.findall(r"var\((--[\w-]+)\)", rules))
    defined = set(re.findall(r"(--[\w-]+):", style_sheet()))
    assert asked <= defined
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b", rules) == []


def test_every_class_is_ours() -> None:
    """Class names begin with rv-, so no page around the player can meet them."""
    rules = (Path(__file__).parents[2] / "radixviz" / "render" / "player" / "player.css").read_text(encoding="utf-8")
    selectors = re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", rules, flags=re.S))
    names = {name for selector in selectors for name in re.findall(r"\.([A-Za-z][\w-]*)", selector)}
    assert {name for name in names if not name.startswith("rv-")} == set()
