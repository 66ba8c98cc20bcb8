"""The last run, kept on disk: the next start shows it at once.

The tiny model plays the same again meanwhile. Of another model the stages that have run are kept, and shown until
somebody lets it run again.

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
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import get_ident

from radixviz.errors import RadixVizError
from radixviz.model.cache_folder import cache_folder
from radixviz.model.hub import local_folder
from radixviz.scenario.schema import Scenario
from radixviz.ui.components.player import PlayerText

_SOURCES = Path(__file__).parents[1]
_SOURCE_SUFFIXES = (".py", ".js", ".css", ".html")
_LIBRARIES = ("torch", "transformers", "tokenizers", "graphviz-pure")
_MOST_KEPT = 8
_MOST_READ = 64 * 2**20
_ENDS_READ = 2**20
"""Of a file of more bytes than those, so many at either end count, with its size and the time of its last change."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """The player's text of an earlier run, and the day on which it ran (ISO 8601)."""

    text: PlayerText
    day: str


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What changes with a file: its size, and the time of its last change in ns."""

    path: Path
    size: int
    changed: int


def model_files(model: str) -> tuple[FileStamp, ...]:
    """Return the files of a model that is here, none where it is not. They are not read."""
    try:
        paths = sorted(path for path in local_folder(model).path.iterdir() if path.is_file())
        return tuple(FileStamp(path, path.stat().st_size, path.stat().st_mtime_ns) for path in paths)
    except (OSError, RadixVizError):
        return ()


def run_key(
    scenario: Scenario,
    model: str,
    files: Sequence[FileStamp],
    page_size: int,
    pool_pages: int | None,
    engine: Path | None,
) -> str:
    """Return the digest of everything that a run depends on, empty where the model has no files to read."""
    settings = (scenario, model, page_size, pool_pages, str(engine), platform.python_version(), platform.machine())
    digest = hashlib.sha256(repr((settings, [_version(name) for name in _LIBRARIES])).encode("utf-8"))
    sources = sorted(path for path in _SOURCES.rglob("*") if path.suffix in _SOURCE_SUFFIXES)
    try:
        for path in sources:
            digest.update(path.name.encode("utf-8") + hashlib.sha256(path.read_bytes()).digest())
        for file in files:
            digest.update(file.path.name.encode("utf-8") + _content(file))
    except OSError:
        return ""
    return digest.hexdigest()[:32] if files else ""


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
    """Keep this run for the next start, and forget the oldest; where nothing can be written, only the log says so.

    A run of more stages under the same key stays: its beginning is this one.
    """
    known = read_run(key)
    if not key or (known is not None and known.text.played > text.played):
        return
    path = _path(key)
    beside = path.with_suffix(f".{os.getpid()}-{get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text.json, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        logging.getLogger(__name__).info("the run is not kept for the next start: %s", error)
        return
    for old in sorted(path.parent.glob("*.json"), key=_changed)[:-_MOST_KEPT]:
        with suppress(OSError):
            old.unlink()


def _changed(file: Path) -> float:
    """Return when the file was changed; another process may have forgotten it meanwhile."""
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _path(key: str) -> Path:
    return cache_folder() / "runs" / f"{key}.json"


def _content(file: FileStamp) -> bytes:
    """Return the digest of what is in the file; of large weights, of what changes with them."""
    if file.size <= _MOST_READ:
        return hashlib.sha256(file.path.read_bytes()).digest()
    with file.path.open("rb") as weights:
        head = weights.read(_ENDS_READ)
        weights.seek(-_ENDS_READ, os.SEEK_END)
        ends = head + weights.read(_ENDS_READ)
    return hashlib.sha256(repr((file.size, file.changed)).encode("utf-8") + ends).digest()


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""
