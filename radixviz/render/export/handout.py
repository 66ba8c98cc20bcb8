"""What students hold in their hands: a page of HTML with a print style, for A4, in one language or in both.

handout    each stage's sentences and the tree that it ends with
worksheet  the tree before each stage, what is asked of it, blanks, and room to draw the tree afterwards
key        the worksheet's answers

Nothing in it needs colour: a look is a line style and a badge as well. It has no script and asks for nothing.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Literal, get_args

from radixviz.render.export.frame_svg import drawing_styles
from radixviz.render.narrate import narrate
from radixviz.render.report import evicted_ids
from radixviz.render.spans import Span
from radixviz.render.tree_svg import tree_svg
from radixviz.render.tree_text import tree_text
from radixviz.render.visible import visible
from radixviz.render.words import say
from radixviz.timeline import Frame, NodeMark, SequenceView, StageKey, Timeline

HandoutKind = Literal["handout", "worksheet", "key"]
HANDOUT_KINDS: tuple[HandoutKind, ...] = get_args(HandoutKind)
_STYLE = Path(__file__).with_suffix(".css")
_HEAD, _TAIL = 60, 90
"""How much of a prompt is printed: letters of its beginning and of its end."""
_LOOKS = ("new", "hit", "evicted", "cached")
_BLANK, _LONG_BLANK = "<i></i>", '<i class="long"></i>'


@dataclass(frozen=True, slots=True)
class Handout:
    """What is printed: which of the three, in which languages, and the Graphviz program (None: trees are text).

    `font` is a font file that the page brings along, for a machine whose own fonts lack Chinese.
    """

    kind: HandoutKind
    langs: tuple[str, ...]
    engine: Path | None
    font: Path | None = None


def handout_html(timeline: Timeline, handout: Handout) -> str:
    """Return the page. Stages without a number are left out, and those without a request where there is no answer."""
    known = timeline.stages()
    stages: list[StageKey] = [stage for stage in known if stage != "encore"]
    stages = stages or list(known)
    if handout.kind != "handout":
        stages = [stage for stage in stages if timeline.last_frame(stage).sequences]
    title = _plain(handout.langs, lambda lang: timeline.script.title[lang])
    parts = [_header(timeline, handout), *(_section(timeline, stage, handout) for stage in stages)]
    return (
        f'<!doctype html>\n<html lang="{_code(handout.langs[0])}"><head><meta charset="utf-8">'
        f'<title>{title}</title><meta name="viewport" content="width=device-width">'
        f"<style>{drawing_styles(handout.langs[0])}{_STYLE.read_text(encoding='utf-8')}{_font_face(handout.font)}</style>"
        "</head>\n"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _font_face(font: Path | None) -> str:
    """Return the rules that draw every letter with this font which the families before it lack."""
    if font is None:
        return ""
    data = base64.b64encode(font.read_bytes()).decode("ascii")
    return (
        f"@font-face{{font-family:Given;src:url(data:font/sfnt;base64,{data})}}"
        "body,text{font-family:'Noto Sans','Segoe UI',Given,sans-serif}"
        "code,.rv-text,.rv-wide{font-family:'DejaVu Sans Mono',Menlo,Consolas,Given,monospace}"
    )


def _header(timeline: Timeline, handout: Handout) -> str:
    run, langs = timeline.run, handout.langs
    title = _plain(langs, lambda lang: timeline.script.title[lang])
    kind = _plain(langs, lambda lang: say(lang, f"handout.{handout.kind}"))
    told = {"model": run.model, "pages": run.pool_pages, "size": run.page_size}
    worksheet = handout.kind == "worksheet"
    name = f'<p class="name">{_each(langs, "handout.name")} {_BLANK}</p>' if worksheet else ""
    task = _lines(langs, lambda lang: say(lang, "handout.task")) if worksheet else _legend(langs)
    printing = _lines(langs, lambda lang: say(lang, "handout.print"), css="screen")
    run_lines = _lines(langs, lambda lang: say(lang, "handout.run", **told))
    return f"<header>{name}<h1>{title} <small>{kind}</small></h1>{run_lines}{task}{printing}</header>"


def _legend(langs: Sequence[str]) -> str:
    entries = (f"<span>{_swatch(look)}{_each(langs, f'handout.look.{look}')}</span>" for look in _LOOKS)
    return f'<p class="legend">{"".join(entries)}</p>'


def _swatch(look: str) -> str:
    inner = '<rect class="rv-inner" x="5" y="5" width="50" height="20" rx="3"/>' if look == "hit" else ""
    return (
        f'<svg viewBox="0 0 60 30" aria-hidden="true"><g class="rv-{look}">'
        f'<rect class="rv-frame" x="2" y="2" width="56" height="26" rx="6"/>{inner}</g></svg>'
    )


def _section(timeline: Timeline, stage: StageKey, handout: Handout) -> str:
    last, langs = timeline.last_frame(stage), handout.langs
    mark = "+" if stage == "encore" else stage
    heading = f"<h2><b>{mark}</b>{_plain(langs, lambda lang: timeline.script.stage(stage).title[lang])}</h2>"
    tree = _figure(timeline, last, handout)
    if handout.kind == "handout":
        return f"<section>{heading}{_told(timeline, stage, langs)}{tree}</section>\n"
    asked = _table(timeline, last, handout) + _facts(timeline, stage, handout)
    if handout.kind == "key":
        return f"<section>{heading}{asked}{tree}</section>\n"
    before = _figure(timeline, _before(timeline, stage), handout, "handout.before")
    room = f'<figure><figcaption>{_each(langs, "handout.after")}</figcaption><div class="draw"></div></figure>'
    return f"<section>{heading}{asked}{before}{room}</section>\n"


# ------------------------------------------------------------------------------------------------ sentences and trees
def _told(timeline: Timeline, stage: StageKey, langs: Sequence[str]) -> str:
    """Return what is said at the stage's stops; of a stage without any, at its end."""
    frames = [frame for frame in timeline.stage_frames(stage) if frame.stop is not None]
    lists = []
    for lang in langs:
        told = (narrate(timeline, frame, lang).say for frame in frames or [timeline.last_frame(stage)])
        rows = "".join(f"<li>{_spans(spans)}</li>" for spans in told)
        lists.append(f'<ol lang="{_code(lang)}">{rows}</ol>')
    return "".join(lists)


def _spans(spans: Sequence[Span]) -> str:
    return "".join(f"<b>{escape(span.text)}</b>" if span.role else escape(span.text) for span in spans)


def _figure(timeline: Timeline, frame: Frame, handout: Handout, caption: str | None = None) -> str:
    lang = handout.langs[0]
    drawn = None if handout.engine is None else tree_svg(timeline, frame, lang, handout.engine, alone=True)
    tree = f"<pre>{escape(tree_text(timeline, frame, lang))}</pre>" if drawn is None else drawn
    head = f"<figcaption>{_each(handout.langs, caption)}</figcaption>" if caption else ""
    return f"<figure>{head}{tree}</figure>"


def _before(timeline: Timeline, stage: StageKey) -> Frame:
    """Return the tree as the stage finds it, without what the stage before told about it."""
    first = timeline.stage_frames(stage)[0]
    last = timeline.frames[first.index - 1] if first.index else first
    marks = {node_id: NodeMark("cached", mark.name, mark.letter, mark.letters) for node_id, mark in last.labels.items()}
    return replace(last, labels=marks, ghosts=(), missing=(), sequences=())


# ------------------------------------------------------------------------------------------------ what is asked
def _table(timeline: Timeline, last: Frame, handout: Handout) -> str:
    columns = ("metric.prompt", "metric.hit", "metric.computed", "handout.answer")
    heads = "".join(f'<th class="number">{_each(handout.langs, key)}</th>' for key in columns)
    views = {view.request_id: view for view in reversed(last.sequences)}
    rows = "".join(_row(timeline, last, view, handout) for view in reversed(views.values()))
    return f"<table><tr><th>{_each(handout.langs, 'handout.request')}</th>{heads}</tr>{rows}</table>"


def _row(timeline: Timeline, last: Frame, view: SequenceView, handout: Handout) -> str:
    info = timeline.script.requests.get(view.request_id)
    label = _plain(handout.langs, lambda lang: info.label[lang] if info else view.request_id)
    answers = [other.output_len for other in last.sequences if other.request_id == view.request_id]
    asked = handout.kind == "worksheet"
    numbers = (
        str(view.prompt_len),
        "" if asked else str(view.prefix_len),
        "" if asked else str(view.prompt_len - view.cached_tokens),
        " + ".join(map(str, answers)),
    )
    cells = "".join(f'<td class="number">{number}</td>' for number in numbers)
    return f"<tr><td>{label}<code>{_prompt(timeline, view, handout)}</code></td>{cells}</tr>"


def _prompt(timeline: Timeline, view: SequenceView, handout: Handout) -> str:
    """Return what the request adds, shortened in the middle, and whether the turns so far come before it."""
    whole = timeline.text(view.token_ids[: view.prompt_len])
    info = timeline.script.requests.get(view.request_id)
    own = info.prompt_text if info and info.prompt_text and whole.endswith(info.prompt_text) else whole
    text = escape(visible(_shortened(own))).replace("⏎", "<s>⏎</s>")
    return text if own == whole else f"{_each(handout.langs, 'handout.history')} {text}"


def _shortened(text: str) -> str:
    """Return a long text without its middle, cut between words."""
    if len(text) <= _HEAD + _TAIL + 3:
        return text
    head, tail = text[:_HEAD], text[-_TAIL:]
    return f"{head[: max(head.rfind(' '), head.rfind(chr(10))) + 1] or head} ⋯ {tail[tail.find(' ') + 1 :]}"


def _facts(timeline: Timeline, stage: StageKey, handout: Handout) -> str:
    frames, langs = timeline.stage_frames(stage), handout.langs
    last, before = frames[-1], _before(timeline, stage)
    after, gone = _BLANK, _LONG_BLANK
    if handout.kind == "key":
        after = f"<b>{last.pool.count('free')}</b>"
        names = [_node(last, node_id) for node_id in evicted_ids(frames)]
        gone = f"<b>{escape(', '.join(names))}</b>" if names else _plain(langs, lambda lang: say(lang, "nothing"))
    free = f"<b>{before.pool.count('free')}</b>"
    facts = (("handout.free.before", free), ("handout.free.after", after), ("handout.evicted", gone))
    colon = say(langs[0], "colon")
    return f'<p class="facts">{"".join(f"<span>{_each(langs, key)}{colon}{fact}</span>" for key, fact in facts)}</p>'


def _node(frame: Frame, node_id: int) -> str:
    mark = frame.labels.get(node_id, NodeMark("evicted"))
    name = mark.name or str(node_id)
    return f"{name} ({mark.letter})" if mark.letter else name


# ------------------------------------------------------------------------------------------------ languages
def _each(langs: Sequence[str], key: str) -> str:
    return _plain(langs, lambda lang: say(lang, key))


def _plain(langs: Sequence[str], text: Callable[[str], str]) -> str:
    """Return a short text in all languages, in one line."""
    told = dict.fromkeys(escape(text(lang)) for lang in langs)
    return " / ".join(told)


def _lines(langs: Sequence[str], text: Callable[[str], str], css: str = "") -> str:
    mark = f' class="{css}"' if css else ""
    return "".join(f'<p{mark} lang="{_code(lang)}">{escape(text(lang))}</p>' for lang in langs)


def _code(lang: str) -> str:
    return {"zh": "zh-Hans"}.get(lang, lang)
