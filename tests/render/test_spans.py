from __future__ import annotations

import pytest

from radixviz.render.spans import Role, Span, plain, read_spans


def role_of(mark: str) -> Role:
    """Node c is evicted, every other one hit."""
    return "evicted" if mark == "c" else "hit"


def test_markup_becomes_spans() -> None:
    """A number is bold, one with a look has its colour, a node that of its own look; a plural is plain text."""
    text = "[c]: {freed|evicted} {freed:page|pages} of {free}, [SYS] stays."

    spans = read_spans(text, {"freed": 3, "free": 9}, role_of)

    assert spans == (
        Span("c", "evicted"),
        Span(": "),
        Span("3", "evicted"),
        Span(" "),
        Span("pages"),
        Span(" of "),
        Span("9", "number"),
        Span(", "),
        Span("SYS", "hit"),
        Span(" stays."),
    )
    assert plain(spans) == "c: 3 pages of 9, SYS stays."


def test_a_ready_span_is_put_in_as_it_is() -> None:
    """A value may come with its own role."""
    spans = read_spans("{node} goes", {"node": Span("A2", "evicted")}, role_of)

    assert spans == (Span("A2", "evicted"), Span(" goes"))


def test_text_from_outside_is_no_markup() -> None:
    """Braces and angle brackets in a value stay what they are."""
    spans = read_spans("{request}: x", {"request": Span("<b>{free}[c]</b>")}, role_of)

    assert plain(spans) == "<b>{free}[c]</b>: x"


def test_a_text_without_markup_is_one_span() -> None:
    """Plain text has no role."""
    assert read_spans("nothing", {}, role_of) == (Span("nothing", None),)


def test_a_placeholder_without_a_value_is_a_bug() -> None:
    """It is not printed as it stands."""
    with pytest.raises(KeyError, match="freed"):
        read_spans("{freed}", {}, role_of)
