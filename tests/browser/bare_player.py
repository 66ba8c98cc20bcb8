"""The player's component in a page of its own, without Streamlit: what it shows follows from a timeline alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request
from radixviz.engine.runner import SimulatedRunner
from radixviz.recorder import Recorder
from radixviz.render.layout import find_engine
from radixviz.render.player_data import player_data
from radixviz.render.player_script import player_markup, player_script, player_styles
from radixviz.timeline import Timeline
from tests.render.small_timeline import timeline

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BYTES = {value: bytes([value]) for value in range(256)}
SETTLED_MILLISECONDS = 450
"""No movement of the player takes longer."""


class Story:
    """An engine under a recorder, driven stage by stage; one token is one byte."""

    def __init__(self, pool_pages: int, replies: Mapping[str, str] | None = None) -> None:
        self._pages = pool_pages
        self._recorder = Recorder()
        cache = RadixCache(1, emit=self._recorder.emit)
        said = replies or {}
        runner = SimulatedRunner(lambda sequence_id, number: said.get(sequence_id, "ok.!").encode()[number])
        self._engine = Engine(cache, PagePool(pool_pages, 1), runner, emit=self._recorder.emit)
        self._recorder.watch(self._engine)
        self._stages = 0

    def stage(self, request_id: str, prompt: str, tokens: int, *, samples: int = 1) -> None:
        """Serve one request in a stage of its own."""
        self._stages += 1
        self._recorder.begin_stage(self._stages)
        self._engine.submit(Request(request_id, tuple(prompt.encode()), tokens, samples=samples))
        self._engine.run()
        self._recorder.end_stage()

    def told(self) -> Timeline:
        """Return the timeline of all stages so far."""
        return timeline(*self._recorder.frames, token_bytes=BYTES, pages=self._pages)

    def last(self) -> Timeline:
        """Return a timeline of the last frame only, as its first."""
        frame = replace(self._recorder.frames[-1], index=0, stage_frame=1)
        return timeline(frame, token_bytes=BYTES, pages=self._pages)


@contextmanager
def bare_player(
    browser: Browser,
    told: Timeline,
    *,
    frame: int = 0,
    lang: str = "en",
    theme: str = "light",
    width: int = 1280,
    height: int = 800,
    **context_options: Any,
) -> Iterator[tuple[Page, list[str]]]:
    """Open the player of this timeline at a frame; the list fills with whatever went wrong."""
    context = browser.new_context(viewport={"width": width, "height": height}, **context_options)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(f"a dialog: {dialog.message}"))
    page.set_content(player_html(told, {"frame": frame, "lang": lang, "notices": None, "ask": False}, theme))
    yield page, wrong
    context.close()


def player_html(told: Timeline, start: dict[str, Any], theme: str = "light") -> str:
    """Return a page that mounts the component as Streamlit would."""
    text = json.dumps(player_data(told, _engine()), ensure_ascii=False)
    data = json.dumps({"digest": "bare", "player": text, "start": start}, ensure_ascii=True).replace("<", "\\u003c")
    script = player_script().replace("export default function", "const openIn = function")
    back = {"light": "#ffffff", "dark": "#0e1117"}[theme]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>player</title>'
        f'<meta name="viewport" content="width=device-width">'
        f"<style>:root {{ --st-background-color: {back} }} body {{ margin: 0; padding: 0 28px; background: {back} }}"
        f'{player_styles()}</style></head><body><main id="host">{player_markup()}</main>'
        f'<script type="module">{script}\n'
        f"window.told = {data};"
        "window.reported = [];"
        "window.runAgain = more => {"  # as after each run of the page, with what has changed
        '  openIn({ data: Object.assign(told, more), parentElement: document.getElementById("host"),'
        "    setStateValue(name, value) { reported.push([name, value]); } });"
        '  window.player = document.querySelector(".rv-mount").rvPlayer;'
        "};"
        "runAgain({});</script></body></html>"
    )


def _engine() -> Path:
    engine = find_engine()
    assert engine is not None, "the pinned graphviz-pure is not installed"
    return engine
