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
)
"""The player itself. In this order: what one of them does at load may need those before it."""
CLASS_MODULES = (
    "class/asking",
    "class/question",
    "class/address",
    "class/copy",
    "class/bars",
    "class/projector",
    "class/classroom",
)
"""What a class needs besides: questions, links and the projector view."""
MAIN = "main"
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
    """Return all modules as one, with only the main one's default export left."""
    return joined(*MODULES, *CLASS_MODULES, MAIN)


def joined(*names: str) -> str:
    """Return these modules as one: each but the main one in a scope of its own, without its imports.

    Comments and spaces that mean nothing stay behind: they are for those who read the files.
    """
    texts = {name: _INDENT.sub("", _COMMENT.sub("", _read(f"{name}.js"))) for name in names}
    joined = "".join(_IMPORT.sub("", text) if name == MAIN else _scoped(text) for name, text in texts.items())
    return _BRACKETS.sub("", _SPACES.sub(lambda found: found[1] or found[2] or found[3], _BLANK.sub("\n", joined)))


def player_styles() -> str:
    """Return the palettes and all rules as one style sheet."""
    return plain_styles() + class_styles()


def plain_styles() -> str:
    """Return the palettes and the rules of the player itself."""
    return _joined_styles(f"{style_sheet()}\n{_read('views.css')}")


def class_styles() -> str:
    """Return the rules of what a class needs besides."""
    return _joined_styles(_read("class/class.css"))


def _joined_styles(sheets: str) -> str:
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
