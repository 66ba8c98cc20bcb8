"""No row of what SGLang says is forgotten, and the documents count them right."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from pathlib import Path

from tests.conformance.rows import all_rows, left_out_rows, left_out_table

HERE = Path(__file__).parent
WITH_A_MODEL = HERE.parent / "model" / "test_engine_on_model.py"
DOCUMENT = HERE.parents[1] / "docs" / "sglang.md"


def shown_rows() -> set[str]:
    """Return the rows that some test here shows."""
    names = sorted(path.stem for path in HERE.glob("test_*.py"))
    modules = [importlib.import_module(f"tests.conformance.{name}") for name in names if name != Path(__file__).stem]
    here = {row for module in modules for test in vars(module).values() for row in getattr(test, "rows", ())}
    return here | set(re.findall(r'^@shows\("(.+)"\)$', WITH_A_MODEL.read_text(encoding="utf-8"), re.MULTILINE))


def test_every_row_is_shown_or_left_out() -> None:
    """Each row is shown by a test or left out with a reason, never both, and there is no other row."""
    assert max(Counter([*all_rows(), *left_out_rows()]).values()) == 2
    assert sorted([*shown_rows(), *left_out_rows()]) == sorted(all_rows())


def test_the_names_of_the_documents_are_there() -> None:
    """Each name of ours in the table of names stands in the file beside it."""
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?`[^|]*) \| `(radixviz/[^`]+)` \|", text, re.MULTILINE)
    names = [(name.rpartition(".")[2], file) for cell, file in rows for name in re.findall("`([^`]+)`", cell)]
    assert len(names) > 40
    root = DOCUMENT.parents[1]
    assert [each for each in names if each[0] not in (root / each[1]).read_text(encoding="utf-8")] == []


def test_the_documents_count_the_rows() -> None:
    """docs/sglang.md says how many rows pass and how many do not apply, and lists these with the reasons."""
    text = DOCUMENT.read_text(encoding="utf-8")
    shown, left_out = len(shown_rows()), len(left_out_rows())
    assert f"**{shown} rows pass, {left_out} do not apply**" in text
    assert left_out_table() in text
