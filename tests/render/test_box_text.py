from __future__ import annotations

import pytest

from radixviz.render.box_text import box_head, box_line
from radixviz.render.tree_boxes import TreeBox
from tests.render.small_timeline import frame, ids, timeline


@pytest.mark.parametrize(
    ("text", "width", "line"),
    [
        ("Hello! Hi!", 10, ["Hello! Hi!"]),
        ("What can you do? I can", 12, ["What can …"]),
        ("Questionable", 8, ["Questi …"]),
        ("one\ntwo three", 8, ["one …"]),
        ("  ", 8, ["␣␣"]),
        ("Hello", 0, []),
    ],
)
def test_the_back_row_gets_one_line(text: str, width: int, line: list[str]) -> None:
    """All of the text where it fits, else its beginning, cut after a word; nothing where there is no room."""
    box = TreeBox("n1", None, "node", "new", "A1", "a", ids(text), len(text))
    assert box_line(timeline(frame()), box, "en", width) == line


@pytest.mark.parametrize(
    ("room", "head"),
    [
        (15, ("A2 + A3", "161 + 11")),
        (14, ("A2 + A3", "172")),
        (10, ("A2 + A3", "172")),
        (9, ("A2+A3", "172")),
        (8, ("A2+A3", "172")),
        (7, ("A2…", "172")),
    ],
)
def test_a_name_is_cut_last(room: int, head: tuple[str, str]) -> None:
    """Before that, stored and running tokens are added up, and the name is closed up."""
    box = TreeBox("n1", None, "node", "new", "A2 + A3", "i", ids("x" * 172), 161, running=11)
    assert box_head(box, "en", lambda count: room - len(count)) == head


@pytest.mark.parametrize(("lang", "line"), [("en", "until stage 5"), ("zh", "到第 5 步为止")])
def test_a_missing_piece_says_until_when_it_was_there(lang: str, line: str) -> None:
    """In so few words that the back row can read them."""
    box = TreeBox("m0", None, "missing", "cached", "A2", "c", (), 150, evicted_in_stage=5)
    assert box_line(timeline(frame()), box, lang, 13) == [line]
