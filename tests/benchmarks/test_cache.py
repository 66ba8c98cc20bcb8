"""The cache's benchmark: what it says where SGLang cannot be measured beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("made", "python", "said"),
    [
        ("", "none", "--sglang: the folder FOLDER holds no unpacked SGLang wheel (no sglang/srt in it)\n"),
        ("sglang/srt", "none", "--sglang-python: there is no program FOLDER/none\n"),
    ],
)
def test_what_is_missing_is_said_in_one_sentence(tmp_path: Path, made: str, python: str, said: str) -> None:
    """The folder and the Python are looked at before anything is measured."""
    (tmp_path / made).mkdir(parents=True, exist_ok=True)
    command = [
        sys.executable,
        "benchmarks/cache.py",
        "--sglang",
        str(tmp_path),
        "--sglang-python",
        str(tmp_path / python),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == said.replace("FOLDER/", f"{tmp_path}{os.sep}").replace("FOLDER", str(tmp_path))
