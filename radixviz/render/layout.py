"""Graphviz computes where the boxes stand; the drawing is ours."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from radixviz.render.dot import BOX_INCHES

_SECONDS = 20
_PROBE = "digraph { 0 }"


@dataclass(frozen=True, slots=True)
class Place:
    """The middle of a box in widths of a box, from the left edge of the drawing, and its rank, 0 for the root."""

    x: float
    rank: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Where each numbered box of a DOT stands. `width` is that of the whole drawing, in widths of a box."""

    places: dict[int, Place]
    width: float
    ranks: int


def find_engine() -> Path | None:
    """Return the Graphviz program to use, or None when there is none that works.

    The one that graphviz-pure put beside the running Python comes first, then `graphviz-pure` and `dot` on the PATH.
    """
    beside = shutil.which("graphviz-pure", path=sysconfig.get_path("scripts"))
    named = (beside, shutil.which("graphviz-pure"), shutil.which("dot"))
    return next((Path(name) for name in named if name and lay_out(_PROBE, Path(name)) is not None), None)


def lay_out(dot: str, engine: Path) -> Layout | None:
    """Run Graphviz on `dot` and return the places, or None when the program fails; each text is laid out once."""
    plain = _plain(dot, engine)
    return parse_plain(plain) if plain else None


def parse_plain(plain: str) -> Layout:
    """Read Graphviz's plain format: `node <number> <x> <y> ...` in inches, y upwards."""
    rows = [line.split() for line in plain.splitlines() if line.startswith("node ")]
    found = {int(row[1]): (float(row[2]), float(row[3])) for row in rows}
    boxes = [x for number, (x, _) in found.items() if number] or [x for x, _ in found.values()]
    left, right = min(boxes) - BOX_INCHES / 2, max(boxes) + BOX_INCHES / 2
    heights = sorted({round(y, 2) for _, y in found.values()}, reverse=True)
    rank = {height: index for index, height in enumerate(heights)}
    places = {n: Place((x - left) / BOX_INCHES, rank[round(y, 2)]) for n, (x, y) in found.items()}
    return Layout(places, (right - left) / BOX_INCHES, len(heights))


@lru_cache(maxsize=512)
def _plain(dot: str, engine: Path) -> str | None:
    try:
        done = subprocess.run(
            [str(engine), "-Kdot", "-Tplain"],
            input=dot,
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout
