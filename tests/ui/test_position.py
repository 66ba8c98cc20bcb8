from __future__ import annotations

import pytest

from radixviz.timeline import StageKey
from radixviz.ui.position import Notice, find_frame, find_stage

STAGES: tuple[StageKey, ...] = (1, 2, 3, "encore")


@pytest.mark.parametrize(
    ("asked", "found"),
    [("0", 0), ("2", 2), ("encore", "encore"), ("9", 3), ("-1", 0), ("Encore", 0), ("", 0), ("1.5", 0)],
)
def test_the_nearest_stage_is_found(asked: str, found: StageKey) -> None:
    """A notice comes only when it is not the one asked for."""
    stage, notice = find_stage(asked, STAGES)
    assert stage == found
    assert (notice is None) == (asked == str(found))


@pytest.mark.parametrize(
    ("asked", "found"), [("1", 1), ("4", 4), ("5", 4), ("0", 1), ("-7", 1), ("two", 1), ("9" * 5000, 1)]
)
def test_the_nearest_frame_is_found(asked: str, found: int) -> None:
    """Frames are counted from 1 within their stage."""
    frame, notice = find_frame(asked, 4)
    assert frame == found
    expected = Notice("notice.frame", {"asked": asked, "shown": found, "frames": 4})
    assert notice == (None if asked == str(found) else expected)
