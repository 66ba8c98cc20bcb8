"""One HTML file with the player and all frames inside: it works from a file, without a server and without a network."""

from __future__ import annotations

import json
from html import escape
from typing import cast

from radixviz.render.player_script import player_markup, player_script, player_styles
from radixviz.render.table import Json
from radixviz.render.theme import PALETTES
from radixviz.render.words import BOTH

_BACK = "--st-background-color"
"""What the player reads the theme off; in the app Streamlit sets it."""
_MOUNT = """
const host = document.getElementById("host"), text = document.getElementById("player-data").textContent;
const start = JSON.parse(document.getElementById("player-start").textContent);
const data = { digest: start.digest, player: text, start };
const mount = () => openIn({ data, parentElement: host, setStateValue() {} });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", mount);
mount();
"""


def standalone_html(data: Json, lang: str, frame: int = -1) -> str:
    """Return the page for what `player_data` gave, which begins at this frame (-1: the introduction) in this language.

    `lang` may be `radixviz.render.words.BOTH`: then Chinese stands first, and what stands once is Chinese. The page
    asks for nothing from elsewhere. An address ending in #stage=5&frame=3&lang=zh opens there.
    """
    both = lang == BOTH
    lang = "zh" if both else lang
    title = cast("dict[str, str]", data["title"])[lang]
    start = {
        "frame": frame,
        "lang": lang,
        "both": both,
        "notices": None,
        "hash": True,
        "ask": True,
        "digest": data["digest"],
    }
    script = player_script().replace("export default function", "const openIn = function")
    return (
        f'<!doctype html>\n<html lang="{ {"zh": "zh-Hans"}.get(lang, lang) }"><head><meta charset="utf-8">'
        f'<title>{escape(title)}</title><meta name="viewport" content="width=device-width">'
        f"<style>{_page_styles()}{player_styles()}</style></head>\n"
        f'<body><main id="host">{player_markup()}</main>\n'
        f'<script type="application/json" id="player-start">{_json(start)}</script>\n'
        f'<script type="application/json" id="player-data">{_json(data)}</script>\n'
        f'<script type="module">{script}{_MOUNT}</script></body></html>\n'
    )


def _page_styles() -> str:
    light, dark = PALETTES["light"].back, PALETTES["dark"].back
    return (
        f":root{{{_BACK}:{light};color-scheme:light dark}}"
        f"@media(prefers-color-scheme:dark){{:root{{{_BACK}:{dark}}}}}"
        f"body{{margin:0;padding:4px 28px;background:var({_BACK})}}"
    )


def _json(data: Json) -> str:
    """Return JSON that can stand in a script element: no text in it can end that."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
