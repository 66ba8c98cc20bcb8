"""The house has rooms, and imports between them point one way."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (  # a room imports what lies on a floor before its own; rooms of one floor do not know each other
    ("",),  # radixviz/__init__.py
    ("errors", "events"),
    ("cache",),
    ("engine",),
    ("timeline", "proof"),  # what a run, and a measurement, are told in
    ("recorder",),
    ("model", "scenario", "render"),
    ("tour", "introduction", "command_line"),  # where scenario, model and render meet, for page and command line
    ("play_command", "export_command", "lesson_command", "fetch_command", "prove_command"),  # the verbs of __main__
    ("ui", "__main__"),
    ("app",),
)
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
PLAIN = ("", "errors", "events", "cache", "engine", "timeline", "proof", "recorder")  # the standard library only
HOMES = {
    "torch": ("model",),
    "transformers": ("model",),
    "tokenizers": ("model",),
    "safetensors": ("model",),
    "huggingface_hub": ("model",),
    "peft": (),  # trains the adapter; at run time our own lines merge it
    "graphviz": ("render",),
    "streamlit": ("ui", "app"),
}
SOURCES = [ROOT / "app.py", *sorted((ROOT / "radixviz").rglob("*.py"))]


def room_of(path: Path) -> str:
    """Return the room that a source file belongs to: the first name below the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "app" if parts == ("app",) else parts[1].replace("__init__", "")


def imported(source: str) -> Iterator[str]:
    """Yield every name that a source imports, written in full; a relative one keeps its dots."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (f"{module}.{alias.name}" for alias in node.names)


def may_import(room: str, name: str) -> bool:
    """Tell whether a room may import this name."""
    top, _, below = name.partition(".")
    if top == "app":
        return False
    if top == "radixviz":
        target = below.partition(".")[0]
        return target == room or FLOOR.get(target, 0) < FLOOR[room]
    if room in PLAIN:
        return top in sys.stdlib_module_names
    return top != "" and room in HOMES.get(top, (room,))


def wrong_imports(room: str, source: str) -> list[str]:
    """Return the names that a source of this room should not import."""
    return [name for name in imported(source) if not may_import(room, name)]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_file_imports_only_what_its_room_may(path: Path) -> None:
    """Every source file has a room, and all its imports point one way."""
    assert room_of(path) in FLOOR, "a new room needs a floor above"
    assert wrong_imports(room_of(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("room", "source", "wrong"),
    [
        ("cache", "from radixviz.engine.request import Request", ["radixviz.engine.request.Request"]),
        ("cache", "import radixviz.timeline", ["radixviz.timeline"]),
        ("events", "from radixviz import errors", ["radixviz.errors"]),
        ("events", "from radixviz.cache.node import TreeNode", ["radixviz.cache.node.TreeNode"]),
        ("timeline", "from radixviz.recorder import Recorder", ["radixviz.recorder.Recorder"]),
        ("recorder", "def late():\n    from radixviz.scenario import player", ["radixviz.scenario.player"]),
        ("model", "from radixviz.render import theme", ["radixviz.render.theme"]),
        ("scenario", "from radixviz import model", ["radixviz.model"]),
        ("render", "from radixviz.scenario.loader import load", ["radixviz.scenario.loader.load"]),
        ("render", "if TYPE_CHECKING:\n    from radixviz.ui import state", ["radixviz.ui.state"]),
        ("scenario", "from radixviz.tour import play_on_model", ["radixviz.tour.play_on_model"]),
        ("tour", "import radixviz.ui", ["radixviz.ui"]),
        ("ui", "from radixviz import __main__", ["radixviz.__main__"]),
        ("ui", "import app", ["app"]),
        ("__main__", "from radixviz.ui import state", ["radixviz.ui.state"]),
        ("engine", "from ..cache import node", ["..cache.node"]),
        ("ui", "from . import state", ["..state"]),
        ("engine", "import numpy", ["numpy"]),
        ("errors", "from msgspec import Struct", ["msgspec.Struct"]),
        ("engine", "import torch", ["torch"]),
        ("ui", "import torch.nn as nn, os", ["torch.nn"]),
        ("__main__", "from transformers import AutoConfig", ["transformers.AutoConfig"]),
        ("scenario", "from tokenizers import Tokenizer", ["tokenizers.Tokenizer"]),
        ("render", "from safetensors.torch import load_file", ["safetensors.torch.load_file"]),
        ("render", "import streamlit as st", ["streamlit"]),
        ("ui", "import graphviz", ["graphviz"]),
        ("model", "from peft import PeftModel", ["peft.PeftModel"]),
        ("cache", "from radixviz.cache.node import TreeNode\nfrom radixviz.errors import NotLocked\nimport heapq", []),
        ("recorder", "from radixviz.engine.engine import Engine\nfrom radixviz.timeline import Frame", []),
        ("model", "import torch\nfrom radixviz.engine.runner import ExtendRow", []),
        ("render", "import graphviz\nfrom radixviz import __version__", []),
        ("ui", "import streamlit\nfrom radixviz.model import loader\nfrom radixviz.render import theme", []),
        ("tour", "from radixviz.model.loader import load\nfrom radixviz.scenario import player", []),
        ("__main__", "from radixviz.render import report\nfrom radixviz.tour import play_on_model", []),
        ("app", "import streamlit\nfrom radixviz.ui.pages import tour", []),
    ],
)
def test_a_wrong_arrow_is_found(room: str, source: str, wrong: list[str]) -> None:
    """Each kind of wrong import is named, and the right ones are left alone."""
    assert wrong_imports(room, source) == wrong
