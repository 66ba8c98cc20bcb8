"""The whole player of one frame as HTML: the sentence, the tree, what stands beside it, the tokens."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from radixviz.render.numbers import number_panel
from radixviz.render.page_map import page_panel
from radixviz.render.request_life import life_track
from radixviz.render.sentence import sentence_panel
from radixviz.render.theme import Theme
from radixviz.render.token_strip import token_strips
from radixviz.render.tree_svg import tree_svg
from radixviz.render.tree_text import tree_text
from radixviz.render.words import say
from radixviz.timeline import Frame, Timeline


def player_page(
    timeline: Timeline, frame: Frame, lang: str, theme: Theme, engine: Path | None, notices: Sequence[str] = ()
) -> str:
    """Return the player for one frame.

    The root carries `data-stage`, `data-phase`, `data-frame` (within the stage, from 1) and `data-frames`. Without
    a Graphviz program (`engine`), or when it fails, the tree is text, with a note.
    """
    body = (
        sentence_panel(timeline, frame, lang, notices)
        + f'<div class="rv-tree">{_tree(timeline, frame, lang, engine)}</div>'
        + f'<aside class="rv-side">{life_track(frame, lang)}{page_panel(timeline, frame, lang)}'
        + f"{number_panel(frame, lang)}</aside>"
        + token_strips(timeline, frame, lang)
    )
    frames = len(timeline.stage_frames(frame.stage))
    return player_root(body, lang, theme, str(frame.stage), frame.phase, frame.stage_frame, frames)


def player_root(
    body: str, lang: str, theme: Theme, stage: str, phase: str, frame: int, frames: int, css: str = ""
) -> str:
    """Return the root element around `body`."""
    language = {"zh": "zh-Hans"}.get(lang, lang)
    return (
        f'<div class="rv-player {css}" data-testid="player" lang="{escape(language)}" data-theme="{theme}" '
        f'data-stage="{escape(stage)}" data-phase="{phase}" data-frame="{frame}" data-frames="{frames}">{body}</div>'
    )


def _tree(timeline: Timeline, frame: Frame, lang: str, engine: Path | None) -> str:
    drawn = tree_svg(timeline, frame, lang, engine) if engine is not None else None
    if drawn is not None:
        return drawn
    note = escape(say(lang, "tree.no_graphviz"))
    return f'<p class="rv-note" data-no-graphviz>{note}</p><pre>{escape(tree_text(timeline, frame, lang))}</pre>'
