"""Colours: one hue, one meaning. Blue is reused, green is new, orange is evicted, grey was there.

The two palettes feed the style sheet as CSS variables, and the tests compute their contrasts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

Theme = Literal["light", "dark"]


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme, as #rrggbb."""

    back: str
    panel: str
    ink: str
    soft: str
    line: str
    faint: str
    cached: str
    new: str
    hit: str
    evicted: str
    new_fill: str
    hit_fill: str
    evicted_fill: str
    new_text: str
    evicted_text: str
    """Dark enough to be read as words, where `new` and `evicted` are only strokes."""
    badge_ink: str


PALETTES: Mapping[Theme, Palette] = {
    "light": Palette(
        back="#fdfdfb",
        panel="#ffffff",
        ink="#1b1f24",
        soft="#5b6470",
        line="#d9dde2",
        faint="#eceef0",
        cached="#b3bac3",
        new="#009E73",
        hit="#0072B2",
        evicted="#B87400",
        new_fill="#e9f7f2",
        hit_fill="#e8f2f9",
        evicted_fill="#fdf5e6",
        new_text="#007A59",
        evicted_text="#8F5A00",
        badge_ink="#ffffff",
    ),
    "dark": Palette(
        back="#14171a",
        panel="#1b1f23",
        ink="#eceff2",
        soft="#a3adb8",
        line="#343a41",
        faint="#23282d",
        cached="#59626c",
        new="#2cc79b",
        hit="#56b4e9",
        evicted="#E69F00",
        new_fill="#16302a",
        hit_fill="#152a38",
        evicted_fill="#33290f",
        new_text="#2cc79b",
        evicted_text="#E69F00",
        badge_ink="#111111",
    ),
}


def style_sheet() -> str:
    """Return the player's style sheet: both palettes as variables, chosen by `data-theme`, and the rules."""
    rules = (Path(__file__).parent / "player" / "player.css").read_text(encoding="utf-8")
    return f".rv-player{{{variables('light')}}}\n.rv-player[data-theme=dark]{{{variables('dark')}}}\n{rules}"


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two #rrggbb colours by WCAG 2, from 1 to 21."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def blended(colour: str, ground: str, opacity: float) -> str:
    """Return what a #rrggbb colour of this opacity (0 to 1) looks like on a #rrggbb ground."""
    pairs = ((int(colour[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(over * opacity + under * (1 - opacity)):02x}" for over, under in pairs)


def variables(theme: Theme) -> str:
    """Return the colours of a theme as CSS variables."""
    palette = PALETTES[theme]
    names = (field.name for field in fields(palette))
    return "".join(f"--{name.replace('_', '-')}:{getattr(palette, name)};" for name in names)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
