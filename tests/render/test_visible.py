from __future__ import annotations

import pytest

from radixviz.render.visible import columns, token_text, visible, visible_bytes


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\\", "\\"),
        ("C:\\new\\t", "C:\\new\\t"),
        ('say "hi"', 'say "hi"'),
        ("a\\Nb", "a\\Nb"),
        ("one\ntwo", "one⏎two"),
        ("&amp;", "&amp;"),
        ('{"a": 1} | <b>', '{"a": 1} | <b>'),
        ("\x00\x1b\x7f\t\r", "␀␛␡⇥␍"),
        ("\x85", "\\x85"),
        ("<|im_end|>", "<|im_end|>"),
        ("left\u202eright\u2028", "left\\u202eright\\u2028"),
        ("👩\u200d🚀 日本語", "👩\u200d🚀 日本語"),
    ],
)
def test_text_stays_and_what_has_no_picture_gets_one(text: str, seen: str) -> None:
    """Ordinary text is unchanged; control, direction and separator characters become visible."""
    assert visible(text) == seen


def test_a_piece_of_a_character_is_shown_as_its_bytes() -> None:
    """Three of the four bytes of an emoji come out as numbers, all four as the emoji."""
    assert visible_bytes("😀".encode()[:3]) == "\\xf0\\x9f\\x98"
    assert token_text({1: b"\xf0\x9f", 2: b"\x98\x80"}, (1, 2)) == "😀"


@pytest.mark.parametrize(("text", "wide"), [("abc", 3), ("中文", 4), ("é", 1), ("e\u0301", 1), ("a⏎b", 4), ("", 0)])
def test_wide_characters_count_two_columns(text: str, wide: int) -> None:
    """East Asian characters need two columns, combining marks none."""
    assert columns(text) == wide
