"""Puts each of six faults into the cache and prints where the checks see it: `python benchmarks/faults.py`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.engine.cache_faults import FAULTS, Fault  # noqa: E402


def table() -> list[str]:
    """Return the lines of a table, a fault in each."""
    return [
        "| fault | page size | seen by | after step | law that is broken |",
        "|---|---|---|---|---|",
        *(_row(fault) for fault in FAULTS),
    ]


def _row(fault: Fault) -> str:
    caught = fault.caught()
    found = f"{caught.check} | {caught.step} | {caught.law}" if caught else "nobody | - | -"
    return f"| {fault.name} | {fault.page_size} | {found} |"


if __name__ == "__main__":
    print("\n".join(table()))
