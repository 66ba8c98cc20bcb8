"""The last run, kept on disk: the next start shows it at once, while the model loads and plays the same again.

What is kept is what this machine's model really did. It counts only for the same scenario, settings, model files,
libraries and sources, whose digest is the file's name; the same of all these gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import platform
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from radixviz.errors import RadixVizError
from radixviz.model.cache_folder import cache_folder
from radixviz.model.folder import locate
from radixviz.scenario.schema import Scenario
from radixviz.ui.components.player import PlayerText

_SOURCES = Path(__file__).parents[1]
_SOURCE_SUFFIXES = (".py", ".js", ".css", ".html")
_LIBRARIES = ("torch", "transformers", "tokenizers", "graphviz-pure")
_MOST_KEPT = 8


@dataclass(frozen=True, slots=True)
class KeptRun:
    """The player's text of an earlier run, and the day on which it ran (ISO 8601)."""

    text: PlayerText
    day: str


def run_key(scenario: Scenario, model: str, page_size: int, pool_pages: int | None, engine: Path | None) -> str:
    """Return the digest of everything that a run depends on, empty where the model has no files to read."""
    settings = (scenario, model, page_size, pool_pages, str(engine), platform.python_version(), platform.machine())
    digest = hashlib.sha256(repr((settings, [_version(name) for name in _LIBRARIES])).encode("utf-8"))
    sources = sorted(path for path in _SOURCES.rglob("*") if path.suffix in _SOURCE_SUFFIXES)
    try:
        for path in (*sources, *sorted(path for path in locate(model).path.iterdir() if path.is_file())):
            digest.update(path.name.encode("utf-8") + hashlib.sha256(path.read_bytes()).digest())
    except (OSError, RadixVizError):
        return ""
    return digest.hexdigest()[:32]


def read_run(key: str) -> KeptRun | None:
    """Return the run kept under this key; None if there is none, or its file cannot be read as one."""
    path = _path(key)
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text)
        day = time.strftime("%Y-%m-%d", time.localtime(path.stat().st_mtime))
        return KeptRun(PlayerText.of(data, text), day) if key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep_run(key: str, text: PlayerText) -> None:
    """Keep this run for the next start, and forget the oldest; where nothing can be written, only the log says so."""
    if not key:
        return
    path = _path(key)
    beside = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text.json, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        logging.getLogger(__name__).info("the run is not kept for the next start: %s", error)
        return
    for old in sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)[:-_MOST_KEPT]:
        with suppress(OSError):
            old.unlink()


def _path(key: str) -> Path:
    return cache_folder() / "runs" / f"{key}.json"


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""
