"""The tree as SVG: Graphviz says where, this says how. One look is one stroke, one badge, one line style."""

from __future__ import annotations

import re
import unicodedata
from html import escape
from pathlib import Path

from radixviz.render.box_text import box_badge, box_head, box_lines, node_tip
from radixviz.render.dot import layout_dot
from radixviz.render.layout import lay_out
from radixviz.render.stage_scale import stage_scales
from radixviz.render.tree_boxes import TreeBox, tree_boxes
from radixviz.render.tree_scale import (
    BOX_HEIGHT,
    CANVAS_HEIGHT,
    CANVAS_WIDTH,
    HEAD_HEIGHT,
    LINE_HEIGHT,
    PADDING,
    ROOT_Y,
    Spot,
    TreeScale,
    fit_alone,
    spots,
)
from radixviz.render.visible import columns, token_text
from radixviz.render.words import say
from radixviz.timeline import Frame, Timeline

_ROOT_RADIUS = 6
_BADGE_HEIGHT = 18
_SMALLEST = 0.92
"""How much a drawing may shrink: then its smallest text, 12 px, is 11 px high."""
_NAME_COLUMN = 8.2
"""Of a bold 13 px letter, on average."""


def tree_svg(timeline: Timeline, frame: Frame, lang: str, engine: Path, *, alone: bool = False) -> str | None:
    """Return the SVG of the frame's tree, or None when Graphviz fails. Colours come from the style sheet's classes.

    All frames of a stage have one scale; `alone` is for paper: no higher than this frame needs, and never scrolling.
    """
    boxes = tree_boxes(timeline, frame)
    layout = lay_out(layout_dot(boxes), engine)
    if layout is None:
        return None
    scale = fit_alone(layout.width, layout.ranks - 1) if alone else _stage_scale(timeline, frame, engine)
    if scale is None:
        return None
    where = spots(boxes, layout, scale)
    edges = "".join(_edge(box, where, scale) for box in boxes)
    nodes = "".join(_box(timeline, box, where[box.key], scale, lang) for box in boxes)
    return _svg(edges + _root(where[None], lang) + nodes, scale, say(lang, "tree.title"), scrolls=not alone)


def _stage_scale(timeline: Timeline, frame: Frame, engine: Path) -> TreeScale | None:
    scales = stage_scales(timeline, frame.stage, engine)
    return scales.near if scales else None


def _svg(body: str, scale: TreeScale, label: str, *, scrolls: bool) -> str:
    """Return the SVG element; one larger than the place for it scrolls, so that its text stays legible."""
    size = f"{scale.canvas_width:g} {scale.canvas_height:g}"
    least = f"min-width:{scale.canvas_width * _SMALLEST:.0f}px;min-height:{scale.canvas_height * _SMALLEST:.0f}px"
    larger = scrolls and (scale.canvas_width, scale.canvas_height) != (CANVAS_WIDTH, CANVAS_HEIGHT)
    style = f' style="{least}"' if larger else ""
    return (
        f'<svg class="rv-tree-svg" viewBox="0 0 {size}" preserveAspectRatio="xMidYMin meet" role="img" '
        f'aria-label="{escape(label)}"{style}>{body}</svg>'
    )


def _root(spot: Spot, lang: str) -> str:
    return (
        f'<g class="rv-root"><circle cx="{spot.x:g}" cy="{spot.y:g}" r="{_ROOT_RADIUS}"/>'
        f'<text x="{spot.x + 12:g}" y="{spot.y + 4:g}">{escape(say(lang, "tree.root"))}</text></g>'
    )


def _edge(box: TreeBox, where: dict[str | None, Spot], scale: TreeScale) -> str:
    child = where[box.key]
    x2, y2 = child.x + scale.box_width / 2, child.y
    if box.parent in where and box.parent is not None:
        x1, y1 = where[box.parent].x + scale.box_width / 2, where[box.parent].y + BOX_HEIGHT
    else:
        x1, y1 = where[None].x, ROOT_Y + _ROOT_RADIUS
    middle = (y1 + y2) / 2
    curve = f"M{x1:g} {y1:g}C{x1:g} {middle:g} {x2:g} {middle:g} {x2:g} {y2:g}"
    return f'<path class="rv-edge {_classes(box)}" d="{curve}"/>'


def _box(timeline: Timeline, box: TreeBox, spot: Spot, scale: TreeScale, lang: str) -> str:
    width = scale.box_width
    tip = f"{node_tip(timeline, box, lang)}\n{token_text(timeline.token_bytes, box.token_ids)}".strip()
    return (
        f'<g class="rv-box {_classes(box)}" {_attributes(box)} transform="translate({spot.x:g} {spot.y:g})">'
        f"<title>{escape(tip)}</title>"
        f'<rect class="rv-frame" width="{width:g}" height="{BOX_HEIGHT:g}" rx="9"/>'
        f"{_inner_frame(box, width)}{_head(box, width, lang)}"
        f"{_body(box_lines(timeline, box, lang, scale.columns))}{_badge(box_badge(box, lang), width)}</g>"
    )


def _attributes(box: TreeBox) -> str:
    """Return the data attributes that tests and the page's scripts read; only tree nodes and ghosts are nodes."""
    if box.kind == "missing":
        pairs = {"data-missing": box.name, "data-tokens": str(box.stored)}
    elif box.kind == "running":
        pairs = {"data-running": box.sequence_id or "", "data-tokens": str(box.running)}
    else:
        pairs = {
            "data-node": str(box.node_id),
            "data-look": box.look,
            "data-letter": box.letter,
            "data-name": box.name,
            "data-tokens": str(box.stored),
            "data-lock": str(box.lock_ref),
        }
    return " ".join(f'{name}="{escape(value)}"' for name, value in pairs.items())


def _classes(box: TreeBox) -> str:
    if box.kind == "node":
        return f"rv-{box.look}"
    return {"ghost": "rv-evicted", "running": "rv-running", "missing": "rv-missing"}[box.kind]


def _inner_frame(box: TreeBox, width: float) -> str:
    if box.kind != "node" or box.look != "hit":
        return ""
    return f'<rect class="rv-inner" x="4" y="4" width="{width - 8:g}" height="{BOX_HEIGHT - 8:g}" rx="6"/>'


def _head(box: TreeBox, width: float, lang: str) -> str:
    letter = f'<tspan class="rv-letter" dx="6">{escape(box.letter)}</tspan>' if box.letter else ""
    lock = _lock(box.lock_ref, width - PADDING, lang) if box.lock_ref else ""
    count_x = width - PADDING - (_lock_width(box.lock_ref) + 7 if box.lock_ref else 0)
    room = count_x - PADDING - (16 if box.letter else 0) - 6
    name, count = box_head(box, lang, lambda count: int((room - 7 * len(count)) / _NAME_COLUMN))
    return (
        f'<text class="rv-name" x="{PADDING:g}" y="22">{escape(name)}{letter}</text>'
        f'<text class="rv-count" x="{count_x:g}" y="22">{count}</text>{lock}'
    )


def _lock_width(lock_ref: int) -> int:
    return 15 + 7 * len(str(lock_ref))


def _lock(lock_ref: int, right: float, lang: str) -> str:
    left = right - _lock_width(lock_ref)
    tip = escape(say(lang, "node.locked", n=lock_ref))
    return (
        f'<g class="rv-lock" transform="translate({left:g} 10)"><title>{tip}</title>'
        '<rect y="6" width="11" height="8" rx="1.5"/><path d="M2.5 6V4a3 3 0 0 1 6 0V6"/>'
        f'<text x="14" y="12">{lock_ref}</text></g>'
    )


def _body(lines: list[str]) -> str:
    first = HEAD_HEIGHT + 12
    return "".join(
        f'<text class="{text_class(line)}" x="{PADDING:g}" y="{first + index * LINE_HEIGHT:g}">{_signs(line)}</text>'
        for index, line in enumerate(lines)
    )


def text_class(line: str) -> str:
    """Return the class of a line; one with wide characters needs a font that has them from its first letter on."""
    return "rv-text rv-wide" if any(unicodedata.east_asian_width(letter) in "WF" for letter in line) else "rv-text"


def _signs(line: str) -> str:
    """Escape a line and set its newline signs and its fold mark back, so that they are not read as text."""
    if line.startswith("⋯ "):
        return f'<tspan class="rv-sign">{escape(line)}</tspan>'
    return re.sub("([⏎⇥])(&[^;]+;|.?)", _set_back, escape(line))


def _set_back(found: re.Match[str]) -> str:
    return f'<tspan class="rv-sign rv-return" dx="1">{found[1]}</tspan><tspan dx="2">{found[2]}</tspan>'


def _badge(text: str, width: float) -> str:
    if not text:
        return ""
    wide = 16 + 7.6 * columns(text)
    return (
        f'<g class="rv-badge"><rect x="{(width - wide) / 2:g}" y="{-_BADGE_HEIGHT / 2:g}" width="{wide:g}" '
        f'height="{_BADGE_HEIGHT}" rx="{_BADGE_HEIGHT / 2:g}"/>'
        f'<text x="{width / 2:g}" y="4">{escape(text)}</text></g>'
    )
