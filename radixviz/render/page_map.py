"""The pages of the KV pool, one cell each: who holds it, and whether it may go."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Literal

from radixviz.cache.snapshot import PageView
from radixviz.events import PagesFreed
from radixviz.render.words import say
from radixviz.timeline import Frame, NodeMark, Timeline

Shade = Literal["hit", "new", "cached", "running", "free", "just_freed"]
SHADES: tuple[Shade, ...] = ("hit", "new", "running", "cached", "just_freed", "free")
_MEBIBYTE = 1024 * 1024
_NARROW, _WIDE = 30, 60


def page_panel(timeline: Timeline, frame: Frame, lang: str) -> str:
    """Return the title with the size of the real tensors, the bar, the map of the pages and the legend."""
    return (
        f'<section class="rv-pool"><h3><span>{escape(say(lang, "pool.title"))}</span>'
        f"<b>{escape(pool_size(timeline, lang))}</b></h3>{pool_bar(frame, lang)}{page_grid(frame, lang)}"
        f"{_legend(timeline, lang)}</section>"
    )


def pool_size(timeline: Timeline, lang: str) -> str:
    """Return "300 × 3,072 B = 0.88 MiB · cpu": pages, bytes of one page, all together, and where they lie."""
    run = timeline.run
    page_bytes = run.kv_bytes_per_token * run.page_size
    total = f"{page_bytes * run.pool_pages / _MEBIBYTE:.2f} MiB"
    return say(
        lang, "pool.bytes", pages=run.pool_pages, bytes_per_page=f"{page_bytes:,}", total=total, device=run.device
    )


def freed_pages(frame: Frame) -> frozenset[int]:
    """Return the pages that came back in this frame and are still free."""
    freed = {page for event in frame.events if isinstance(event, PagesFreed) for page in event.pages}
    return frozenset(view.page for view in frame.pool.pages if view.page in freed and view.state == "free")


def shade(view: PageView, labels: Mapping[int, NodeMark], freed: frozenset[int]) -> Shade:
    """Return what a page looks like: the look of the node that holds it, running, free, or just freed."""
    if view.state == "free":
        return "just_freed" if view.page in freed else "free"
    if view.state == "running":
        return "running"
    look = labels[view.holder].look if isinstance(view.holder, int) and view.holder in labels else "cached"
    return look if look == "hit" or look == "new" else "cached"


def page_grid(frame: Frame, lang: str) -> str:
    """Return the cells in the order of the page numbers; a cell that nobody uses right now is paler."""
    freed = freed_pages(frame)
    wide = _NARROW if frame.pool.total <= 600 else _WIDE
    cells = "".join(_cell(view, frame, freed, lang) for view in frame.pool.pages)
    return f'<div class="rv-pages" style="grid-template-columns:repeat({wide},1fr)">{cells}</div>'


def pool_bar(frame: Frame, lang: str) -> str:
    """Return the bar: in use (locked and running), cached, free; what was just freed stands out."""
    pool = frame.pool
    freed = len(freed_pages(frame))
    parts = {
        "in_use": pool.count("locked") + pool.count("running"),
        "cached": pool.count("cached"),
        "just_freed": freed,
        "free": pool.count("free") - freed,
    }
    return f'<div class="rv-bar">{"".join(_part(name, n, pool.total, lang) for name, n in parts.items() if n)}</div>'


def _part(name: str, count: int, total: int, lang: str) -> str:
    text = say(lang, f"pool.{name}", n=count)
    shown = escape(text) if count >= total * 0.2 else str(count) if count >= total * 0.07 else ""
    return (
        f'<span class="rv-bar-{name}" data-pool="{name}" data-count="{count}" style="flex:{count}" '
        f'title="{escape(text)}">{shown}</span>'
    )


def _cell(view: PageView, frame: Frame, freed: frozenset[int], lang: str) -> str:
    look = shade(view, frame.labels, freed)
    holder = _holder(view, frame.labels)
    tip = _tip(view, holder, lang)
    idle = " rv-idle" if view.state == "cached" else ""
    return (
        f'<i class="rv-p-{look}{idle}" data-page="{view.page}" data-state="{view.state}" data-shade="{look}" '
        f'data-holder="{escape(holder)}" title="{escape(tip)}"></i>'
    )


def _tip(view: PageView, holder: str, lang: str) -> str:
    state = say(lang, f"page.{view.state}")
    key = "page.label.held" if holder else "page.label"
    return say(lang, key, page=view.page, state=state, holder=holder)


def _holder(view: PageView, labels: Mapping[int, NodeMark]) -> str:
    if isinstance(view.holder, int):
        mark = labels.get(view.holder)
        return mark.name if mark and mark.name else str(view.holder)
    return view.holder or ""


def _legend(timeline: Timeline, lang: str) -> str:
    entries = "".join(
        f'<span><i class="rv-p-{name}"></i>{escape(say(lang, f"legend.{name}"))}</span>' for name in SHADES
    )
    note = escape(say(lang, "pool.tokens_per_page", n=timeline.run.page_size))
    return f'<div class="rv-legend">{entries}<p>{note}</p></div>'
