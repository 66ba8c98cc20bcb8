"""Where a reader is: a stage and a frame within it, and which of them exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from radixviz.timeline import StageKey

INTRO = 0
"""The stage before the first: why all this."""


@dataclass(frozen=True, slots=True)
class Position:
    """A stage (0 is the introduction) and a frame within it, from 1."""

    stage: StageKey = INTRO
    frame: int = 1


@dataclass(frozen=True, slots=True)
class Notice:
    """A word to the reader about something that was asked for and does not exist: a key of the word lists."""

    key: str
    values: Mapping[str, object]


def find_stage(asked: str, stages: Sequence[StageKey]) -> tuple[StageKey, Notice | None]:
    """Return the stage that an address asks for or the nearest one there is, and a notice when it is not the same."""
    known = (INTRO, *stages)
    for stage in known:
        if asked == str(stage):
            return stage, None
    numbers = [stage for stage in known if isinstance(stage, int)]
    number = whole_number(asked)
    nearest = INTRO if number is None else min(numbers, key=lambda stage: (abs(stage - number), stage))
    return nearest, Notice("notice.stage", {"asked": asked, "shown": nearest})


def find_switch(name: str, asked: str | None, usual: bool) -> tuple[bool, Notice | None]:
    """Return whether an address switches something on, or what is usual; a notice when it says neither 0 nor 1."""
    if asked in ("0", "1", None):
        return (usual if asked is None else asked == "1"), None
    return usual, Notice("notice.switch", {"name": name, "asked": asked})


def find_frame(asked: str, frames: int) -> tuple[int, Notice | None]:
    """Return the frame that an address asks for or the nearest one of so many, and a notice when it is not the same."""
    number = whole_number(asked)
    frame = min(max(number if number is not None else 1, 1), frames)
    if asked == str(frame):
        return frame, None
    return frame, Notice("notice.frame", {"asked": asked, "shown": frame, "frames": frames})


def whole_number(text: str) -> int | None:
    """Return the number that a text is, or None."""
    try:
        return int(text)
    except ValueError:
        return None
