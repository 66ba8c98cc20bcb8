"""The attention of a suffix as a picture: rows that were skipped are hatched, rows that run look at all columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from radixviz.render.theme import PALETTES, Theme, blended, contrast, variables
from radixviz.render.visible import columns
from radixviz.render.words import say

CELL = 32.0
SHOWN_FROM = 0.05
"""A smaller share of a row gets no number."""
STRONGEST: Mapping[Theme, float] = {"light": 0.7, "dark": 0.5}
"""How opaque a cell of weight 1 is: the number in it stays legible."""
_TOKEN, _NUMBER, _NOTE = 15.0, 13.0, 16.0
_COLUMN = 0.6
"""Of a letter's width in font sizes; a Chinese character takes two."""
_GAP, _TICK = 8.0, 6.0
_LEGEND = ("pool", "now", "skipped")


@dataclass(frozen=True, slots=True)
class AttentionPicture:
    """What is drawn: the prompt's tokens as visible text, how many are cached, and a row of weights for each other."""

    tokens: Sequence[str]
    cached: int
    weights: Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class _Grid:
    left: float
    top: float
    count: int

    @property
    def side(self) -> float:
        return self.count * CELL

    def x(self, column: int) -> float:
        return self.left + column * CELL

    def y(self, row: int) -> float:
        return self.top + row * CELL


def attention_svg(picture: AttentionPicture, lang: str) -> str:
    """Return the SVG; its colours are variables, which `attention_styles` defines for both themes.

    Above the diagonal nothing is drawn: no token looks at a later one.
    """
    longest = max(columns(token) for token in picture.tokens) * _TOKEN * _COLUMN
    grid = _Grid(longest + _GAP + _TICK, longest + _GAP + 2 * _NOTE + _TICK, len(picture.tokens))
    width, legend = grid.left + grid.side + 2, grid.top + grid.side + 2 * _NOTE
    body = _patterns() + _names(picture, grid) + _cells(picture, grid) + _frame(picture, grid, lang)
    height = legend + len(_LEGEND) * 1.6 * _NOTE
    label = escape(_label(picture, lang))
    return (
        f'<svg class="rv-attention" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' preserveAspectRatio="xMinYMin meet" role="img" aria-label="{label}">{body}{_legend(legend, lang)}</svg>'
    )


def attention_styles() -> str:
    """Return the style sheet, for an element of the class rv-figure whose data-theme is light or dark."""
    return "\n".join(
        (
            *(
                f".rv-figure[data-theme={theme}]{{{variables(theme)}--strongest:{STRONGEST[theme]}}}"
                for theme in STRONGEST
            ),
            ".rv-attention{display:block;width:100%;max-height:calc(100vh - 96px)}",
            ".rv-attention{font-family:var(--st-font,sans-serif)}",
            ".rv-attention text{fill:var(--ink)}",
            ".rv-attention .rv-faded{fill:var(--soft)}",
            f".rv-token{{font:{_TOKEN:g}px var(--st-code-font,monospace)}}",
            f".rv-number{{font-size:{_NUMBER:g}px;text-anchor:middle}}",
            f".rv-note{{font-size:{_NOTE:g}px}}",
            ".rv-cell{stroke:var(--line);fill:none}",
            ".rv-pool{fill:var(--hit)}",
            ".rv-now{fill:var(--new)}",
            ".rv-weight{fill-opacity:calc(var(--w)*var(--strongest))}",
            ".rv-hatch{fill:url(#rv-hatch)}",
            ".rv-hatch-line{stroke:var(--cached);stroke-width:2}",
            ".rv-bound{stroke:var(--ink);stroke-width:2;fill:none}",
        )
    )


def number_contrast(theme: Theme, weight: float) -> float:
    """Return the contrast of a cell's number with its ground, for the worse of the two colours."""
    palette = PALETTES[theme]
    grounds = (blended(colour, palette.back, weight * STRONGEST[theme]) for colour in (palette.hit, palette.new))
    return min(contrast(palette.ink, ground) for ground in grounds)


def _patterns() -> str:
    return (
        '<defs><pattern id="rv-hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<line class="rv-hatch-line" x1="0" y1="0" x2="0" y2="8"/></pattern></defs>'
    )


def _names(picture: AttentionPicture, grid: _Grid) -> str:
    drawn = []
    for place, token in enumerate(picture.tokens):
        text, middle = escape(token), CELL / 2 + _TOKEN / 3
        faded = " rv-faded" if place < picture.cached else ""
        x, y = grid.x(place) + middle, grid.top - _TICK
        drawn.append(
            f'<text class="rv-token" transform="translate({x:.1f} {y:.1f}) rotate(-90)">{text}</text>'
            f'<text class="rv-token{faded}" x="{grid.left - _TICK:.1f}" y="{grid.y(place) + middle:.1f}"'
            f' text-anchor="end">{text}</text>'
        )
    return "".join(drawn)


def _cells(picture: AttentionPicture, grid: _Grid) -> str:
    skipped = (_cell(grid, row, column, "rv-hatch") for row in range(picture.cached) for column in range(row + 1))
    computed = (
        _weight(grid, row, column, weight, is_cached=column < picture.cached)
        for row, weights in enumerate(picture.weights, picture.cached)
        for column, weight in enumerate(weights[: row + 1])
    )
    return "".join((*skipped, *computed))


def _weight(grid: _Grid, row: int, column: int, weight: float, *, is_cached: bool) -> str:
    cell = _cell(grid, row, column, f"rv-weight {'rv-pool' if is_cached else 'rv-now'}", f' style="--w:{weight:.3f}"')
    if weight < SHOWN_FROM:
        return cell
    x, y = grid.x(column) + CELL / 2, grid.y(row) + CELL / 2 + _NUMBER / 3
    return f'{cell}<text class="rv-number" x="{x:.1f}" y="{y:.1f}">{weight * 100:.0f}</text>'


def _cell(grid: _Grid, row: int, column: int, css: str, more: str = "") -> str:
    place = f'x="{grid.x(column):.1f}" y="{grid.y(row):.1f}" width="{CELL:g}" height="{CELL:g}"'
    return f'<rect class="rv-cell" {place}/><rect class="{css}" {place}{more}/>'


def _frame(picture: AttentionPicture, grid: _Grid, lang: str) -> str:
    """Draw the bounds between prefix and suffix; say above the columns and beside the skipped rows what they are."""
    cached, count = picture.cached, len(picture.tokens)
    x, y, right, bottom = grid.x(cached), grid.y(cached), grid.x(count), grid.y(count)
    bounds = (f"M{x:.1f} {grid.top - _TICK:.1f}V{bottom:.1f}", f"M{grid.left - _TICK:.1f} {y:.1f}H{right:.1f}")
    middle = (grid.top + y) / 2
    return "".join(
        (
            *(f'<path class="rv-bound" d="{bound}"/>' for bound in bounds),
            _note(grid.left, _NOTE, say(lang, "attention.prefix", n=cached)),
            _note(right, _NOTE, say(lang, "attention.suffix", n=count - cached), "end"),
            _note(right, middle - 0.75 * _NOTE, say(lang, "attention.rows", n=cached), "end"),
            _note(right, middle + 0.75 * _NOTE, say(lang, "attention.rows.why"), "end"),
        )
    )


def _legend(top: float, lang: str) -> str:
    drawn = []
    for line, name in enumerate(_LEGEND):
        y = top + line * 1.6 * _NOTE
        css = "rv-hatch" if name == "skipped" else f"rv-weight rv-{name}"
        drawn.append(
            f'<rect class="rv-cell" x="1" y="{y - 14:.1f}" width="28" height="18"/>'
            f'<rect class="{css}" style="--w:1" x="1" y="{y - 14:.1f}" width="28" height="18"/>'
            + _note(38, y, say(lang, f"attention.legend.{name}"))
        )
    return "".join(drawn)


def _note(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text class="rv-note" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _label(picture: AttentionPicture, lang: str) -> str:
    suffix = len(picture.tokens) - picture.cached
    return say(lang, "attention.label", cached=picture.cached, suffix=suffix, n=len(picture.tokens))
