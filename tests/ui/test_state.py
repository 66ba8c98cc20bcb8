from __future__ import annotations

import ast
from pathlib import Path

from radixviz.ui.position import Notice, Position
from radixviz.ui.state import Address, AppState, View, land, settle

UI = Path(__file__).resolve().parents[2] / "radixviz" / "ui"


def test_an_address_lands() -> None:
    """What it does not say is the default; the frame waits for the timeline."""
    assert land(Address(), (1, 2), "zh") == AppState(Position(0, 1), View("zh"))
    asked = Address(stage="2", frame="4", lang="en")
    assert land(asked, (1, 2), "zh") == AppState(Position(2, 1), View("en"), "4", (), asked)


def test_an_address_says_how_it_is_seen() -> None:
    """Both languages, nothing asked, for a room; what is neither 0 nor 1 is usual, with a word about it."""
    asked = Address(lang="both", ask="0", present="1")
    assert land(asked, (1,), "en").view == View("zh", both=True, ask=False, present=True)
    wrong = land(Address(ask="yes", present="2", lang="fr"), (1,), "en")
    assert wrong.view == View("en")
    assert wrong.notices == (
        Notice("notice.lang", {"asked": "fr"}),
        Notice("notice.switch", {"name": "ask", "asked": "yes"}),
        Notice("notice.switch", {"name": "present", "asked": "2"}),
    )


def test_a_frame_is_settled_once_the_stage_is_known() -> None:
    """The frame asked for, or the nearest with a notice; then nothing is asked any more."""
    asked = AppState(Position(2, 1), View("en"), "4")
    assert settle(asked, 6) == AppState(Position(2, 4), View("en"))
    notice = Notice("notice.frame", {"asked": "4", "shown": 3, "frames": 3})
    assert settle(asked, 3) == AppState(Position(2, 3), View("en"), notices=(notice,))


def test_only_one_file_touches_the_session_state_and_the_address() -> None:
    """Everybody else asks `radixviz.ui.state`."""
    touched = {
        path.name
        for path in UI.rglob("*.py")
        for found in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(found, ast.Attribute) and found.attr in {"session_state", "query_params"}
    }
    assert touched == {"state.py"}
