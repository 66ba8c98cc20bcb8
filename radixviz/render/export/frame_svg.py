"""A frame as one SVG file: where we are, the sentence and its reason, and the tree with its texts.

Colours are written out, since readers of SVG files other than browsers know no CSS variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from radixviz.render.narrate import narrate
from radixviz.render.spans import Span, plain
from radixviz.render.theme import PALETTES
from radixviz.render.tree_svg import text_class, tree_svg
from radixviz.render.tree_text import tree_text
from radixviz.render.visible import columns
from radixviz.render.words import say
from radixviz.timeline import Frame, Timeline

MARGIN = 24.0
_TITLE, _SAY, _WHY, _TREE_TEXT = 14.0, 18.0, 14.0, 12.0
_LEADING = 1.45
_COLUMN = 0.56
"""Of a proportional letter's width in font sizes, on the wide side; a Chinese character takes two."""
_MONO_COLUMN = 0.62
_HEAD = re.compile(r'^<svg class="rv-tree-svg" viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>')
_PALETTE = PALETTES["light"]
_LATIN = "'Noto Sans','Inter','Segoe UI'"
_CHINESE = (
    "'PingFang SC','Microsoft YaHei','Noto Sans CJK SC','Noto Sans SC','Source Han Sans SC','WenQuanYi Micro Hei'"
)
_ROLES = {"hit": _PALETTE.hit, "new": _PALETTE.new_text, "evicted": _PALETTE.evicted_text}


def frame_svg(timeline: Timeline, frame: Frame, lang: str, engine: Path | None) -> str:
    """Return the SVG; without a Graphviz program (`engine`), or when it fails, the tree is text."""
    tree, width, height = _tree(timeline, frame, lang, engine)
    sentence = narrate(timeline, frame, lang)
    lines: list[str] = []
    top = MARGIN
    for spans, size, css in (
        ((Span(frame_title(timeline, frame, lang)),), _TITLE, "where"),
        (sentence.say, _SAY, "say"),
        (sentence.why, _WHY, "why"),
    ):
        for line in wrapped(spans, int(width / (size * _COLUMN))):
            top += size * _LEADING
            lines.append(f'<text class="{css}" x="{MARGIN:g}" y="{top:.1f}">{_tspans(line)}</text>')
        top += 6
    top += 12
    wide, high = f"{width + 2 * MARGIN:g}", f"{top + height + MARGIN:.1f}"
    label = escape(f"{frame_title(timeline, frame, lang)}. {plain(sentence.say)}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" viewBox="0 0 {wide} {high}"'
        f' role="img" aria-label="{label}" xml:lang="{ {"zh": "zh-Hans"}.get(lang, lang) }" xml:space="preserve">'
        f'<style>{drawing_styles(lang)}</style><rect class="back" width="100%" height="100%"/>{"".join(lines)}'
        f'<svg x="{MARGIN:g}" y="{top:.1f}" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">'
        f"{tree}</svg></svg>\n"
    )


def frame_title(timeline: Timeline, frame: Frame, lang: str) -> str:
    """Return "Stage 5 · title · Step 3 / 8"."""
    stage = say(lang, "stage.encore") if frame.stage == "encore" else say(lang, "stage", stage=frame.stage)
    count = len(timeline.stage_frames(frame.stage))
    title = timeline.script.stage(frame.stage).title[lang]
    return f"{stage} · {title} · {say(lang, 'frame')} {frame.stage_frame} / {count}"


def wrapped(spans: Iterable[Span], width: int) -> list[tuple[Span, ...]]:
    """Return the spans in lines of at most so many columns, broken at spaces and between Chinese characters."""
    lines: list[tuple[Span, ...]] = []
    line: list[Span] = []
    used = 0
    for unit in _units(spans):
        needed = sum(columns(span.text) for span in unit)
        if line and used + columns("".join(span.text for span in unit).rstrip()) > width:
            lines.append(tuple(line))
            line, used = [], 0
        line += unit
        used += needed
    return [*lines, tuple(line)] if line else lines


def _units(spans: Iterable[Span]) -> Iterator[list[Span]]:
    """Yield what no line break may part: a word with its space, a Chinese character with the stop behind it."""
    letters = [(letter, span) for span in spans for letter in span.text]
    unit: list[Span] = []
    for (letter, span), following in zip(letters, [*(one for one, _ in letters[1:]), " "], strict=False):
        unit.append(Span(letter, span.role))
        closes = letter == " " and following != " "
        wide = (columns(letter) == 2 and letter not in "（“《") or (columns(following) == 2 and letter not in "（“《")
        if closes or (wide and following not in "，。、；：！？）”》 …"):
            yield unit
            unit = []
    if unit:
        yield unit


def _tspans(line: Iterable[Span]) -> str:
    parts: list[list[str | None]] = []
    for span in line:
        if parts and parts[-1][1] == span.role:
            parts[-1][0] = f"{parts[-1][0]}{span.text}"
        else:
            parts.append([span.text, span.role])
    return "".join(
        f'<tspan class="role {escape(role)}">{escape(text or "")}</tspan>' if role else escape(text or "")
        for text, role in parts
    )


def _tree(timeline: Timeline, frame: Frame, lang: str, engine: Path | None) -> tuple[str, float, float]:
    """Return the tree's elements, their width and their height."""
    drawn = tree_svg(timeline, frame, lang, engine) if engine is not None else None
    found = _HEAD.match(drawn) if drawn is not None else None
    if drawn is not None and found is not None:
        return drawn[found.end() :].removesuffix("</svg>"), float(found[1]), float(found[2])
    lines = tree_text(timeline, frame, lang).split("\n")
    step = _TREE_TEXT * _LEADING
    body = "".join(
        f'<text class="{text_class(line)}" y="{(number + 1) * step:.1f}">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    widest = max(map(columns, lines)) * _TREE_TEXT * _MONO_COLUMN
    return body, max(820.0, round(widest, 1)), round((len(lines) + 1) * step, 1)


def drawing_styles(lang: str) -> str:
    """Return the rules for a drawing that stands outside the player: its colours, strokes and letters.

    A text is drawn in the first family that there is; resvg takes any font, serifs too, for letters that it lacks.
    """
    colours = _PALETTE
    looks = (
        ("new", colours.new, colours.new_fill, colours.new_text, "3.5", ""),
        ("running", colours.new, colours.new_fill, colours.new_text, "1.5", ""),
        ("hit", colours.hit, colours.hit_fill, colours.hit, "3", ""),
        ("evicted", colours.evicted, colours.evicted_fill, colours.evicted_text, "3", "stroke-dasharray:8 5;"),
        (
            "missing",
            colours.evicted,
            "none",
            colours.evicted_text,
            "2.2",
            "stroke-dasharray:1 5;stroke-linecap:round;",
        ),
    )
    rules = [
        f"text{{font-family:{','.join((_CHINESE, _LATIN) if lang == 'zh' else (_LATIN, _CHINESE))},sans-serif;"
        f"font-size:13px;fill:{colours.ink}}}",
        f".back{{fill:{colours.back}}}.where{{font-size:{_TITLE:g}px;font-weight:600;fill:{colours.soft}}}",
        f".say{{font-size:{_SAY:g}px}}.why{{font-size:{_WHY:g}px;fill:{colours.soft}}}.role{{font-weight:700}}",
        *(f".role.{role}{{fill:{colour}}}" for role, colour in _ROLES.items()),
        f".rv-root circle{{fill:{colours.soft}}}.rv-root text,.rv-count{{font-size:12px;fill:{colours.soft}}}",
        f".rv-frame{{fill:{colours.panel}}}.rv-edge{{fill:none}}"
        f".rv-frame,.rv-edge{{stroke:{colours.soft};stroke-width:1.5}}",
        f".rv-name{{font-weight:700}}.rv-letter{{font-weight:600;font-style:italic;fill:{colours.soft}}}",
        ".rv-count{text-anchor:end}"
        ".rv-text{font-size:12px;"
        "font-family:'DejaVu Sans Mono',Menlo,Consolas,'Noto Sans CJK SC','Microsoft YaHei',monospace}"
        f".rv-wide{{font-family:'Noto Sans Mono CJK SC',{_CHINESE},monospace}}",
        f".rv-sign{{fill:{colours.soft}}}.rv-return{{font-size:14px}}",
    ]
    for name, stroke, fill, badge, width, dash in looks:
        edge = "1.5" if name == "running" else "2.2" if name == "missing" else "2.5"
        rules.append(
            f".rv-{name}>.rv-frame{{fill:{fill};stroke:{stroke};stroke-width:{width};{dash}}}"
            f".rv-edge.rv-{name}{{stroke:{stroke};stroke-width:{edge};{dash}}}"
            f".rv-{name} .rv-badge rect{{fill:{badge}}}"
        )
    rules += [
        f".rv-inner{{fill:none;stroke:{colours.hit};stroke-width:1.2}}",
        ".rv-badge text{font-weight:700;font-size:11px;letter-spacing:0.05em;text-anchor:middle;"
        f"fill:{colours.badge_ink}}}",
        f".rv-lock rect{{fill:{colours.ink}}}.rv-lock path{{fill:none;stroke:{colours.ink};stroke-width:1.5}}",
        ".rv-lock text{font-size:11px}",
    ]
    return "".join(rules)
