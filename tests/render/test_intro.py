from __future__ import annotations

from radixviz.render.intro import shared_length


def test_the_beginning_that_all_share_is_counted() -> None:
    """Three prompts, of which the first two tokens are the same; one prompt ends there."""
    assert shared_length([(b"You", b" are", b" x"), (b"You", b" are", b" y", b"\n"), (b"You", b" are")]) == 2


def test_nothing_is_shared_by_none() -> None:
    """Different first tokens, and no prompt at all."""
    assert shared_length([(b"a", b"b"), (b"c", b"b")]) == 0
    assert shared_length([]) == 0
