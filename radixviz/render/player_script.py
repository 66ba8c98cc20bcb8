"""The player's script and style sheet: small files, joined here, so that no build step and no network is needed."""

from __future__ import annotations

import re
from pathlib import Path

from radixviz.render.theme import style_sheet

MODULES = (
    "dom",
    "state",
    "model",
    "link",
    "zoom",
    "tree",
    "strip",
    "pages",
    "inspector",
    "glossary",
    "sentence",
    "life",
    "numbers",
    "travel",
    "ruler",
    "dialogs",
    "keys",
    "address",
    "main",
)
"""In this order: what one of them does at load may need those before it."""
PLAYER_FOLDER = Path(__file__).parent / "player"
_IMPORT = re.compile(r"^import [^;]*;\n", flags=re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default )(?=\w+ (\w+))", flags=re.MULTILINE)
_COMMENT = re.compile(r"^\s*//.*\n|[ \t]+// .*$", flags=re.MULTILINE)
_STYLE_COMMENT = re.compile(r"/\*.*?\*/\n?", flags=re.DOTALL)
_INDENT = re.compile(r"^[ \t]+", flags=re.MULTILINE)
_BLANK = re.compile(r"\n{2,}")
_SPACES = re.compile(
    r"""("(?:[^"\\\n]|\\.)*" | `(?:[^`\\]|\\.)*`                            # strings are kept
    | (?<=[(,=:?!&|])\ ?/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)   # and patterns
    | \ *([{}()\[\],;:?=<>*&|!]+)\ * | (?<![+-])\ ([+-])\ (?![+-])""",
    flags=re.VERBOSE,
)
_BRACKETS = re.compile(r";?\n(?=})|(?<=[{(\[,;])\n|\n(?=[)\]])")
_STYLE_SPACES = re.compile(r";? ?(}) ?|[ \n]?([{;,>])[ \n]?|(:) ")


def player_script() -> str:
    """Return all modules as one, each in a scope of its own, with only the last one's default export left.

    Comments and spaces that mean nothing stay behind: they are for those who read the files.
    """
    *modules, main = (_INDENT.sub("", _COMMENT.sub("", _read(f"{name}.js"))) for name in MODULES)
    joined = "".join([*map(_scoped, modules), _IMPORT.sub("", main)])
    return _BRACKETS.sub("", _SPACES.sub(lambda found: found[1] or found[2] or found[3], _BLANK.sub("\n", joined)))


def player_styles() -> str:
    """Return the palettes and all rules as one style sheet."""
    sheets = f"{style_sheet()}\n{_read('views.css')}"
    return _STYLE_SPACES.sub(r"\1\2\3", _BLANK.sub("\n", _INDENT.sub("", _STYLE_COMMENT.sub("", sheets))))


def player_markup() -> str:
    """Return what stands still in the player, as HTML without a word in it."""
    return _read("player.html")


def _scoped(text: str) -> str:
    names = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub("", text))
    return f"const {{ {names} }} = (() => {{\n{body}return {{ {names} }};\n}})();\n"


def _read(name: str) -> str:
    return (PLAYER_FOLDER / name).read_text(encoding="utf-8")
