from __future__ import annotations

from pathlib import Path

import pytest

from radixviz.errors import NoFolder, NotWritten
from radixviz.render.export.files import write_whole


def test_a_file_is_written_over_what_was_there_and_nothing_is_left_beside(tmp_path: Path) -> None:
    """The new content is the whole file, and the folder holds only that."""
    target = tmp_path / "九步.html"
    target.write_bytes(b"old and longer")
    write_whole(target, b"new")

    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("九步.html", b"new")]


def test_a_failure_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk is full at the last moment the old file stays, and no half file beside it."""
    target = tmp_path / "a.html"
    target.write_bytes(b"old")

    def full(self: Path, to: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(NotWritten) as raised:
        write_whole(target, b"new")

    assert raised.value.facts() == {"file": str(target), "detail": "ENOSPC"}
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.html", b"old")]


def test_a_folder_is_never_made_nor_overwritten(tmp_path: Path) -> None:
    """A folder that is not there is named, and a file cannot take the place of one."""
    with pytest.raises(NoFolder) as raised:
        write_whole(tmp_path / "none" / "a.html", b"new")
    assert raised.value.facts() == {"folder": str(tmp_path / "none")}
    (tmp_path / "b.html").mkdir()
    with pytest.raises(NotWritten):
        write_whole(tmp_path / "b.html", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["b.html"]
