"""Spans: a sentence as pieces of text, each with the role that its colour tells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from radixviz.timeline import MARKUP

Role = Literal["number", "new", "hit", "evicted", "cached"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a sentence. Without a role it is plain text; a number is bold, the others have a look's colour too."""

    text: str
    role: Role | None = None


def plain(spans: Iterable[Span]) -> str:
    """Return the text of the spans without their roles."""
    return "".join(span.text for span in spans)


def read_spans(text: str, values: Mapping[str, int | Span], role_of_node: Callable[[str], Role]) -> tuple[Span, ...]:
    """Return the spans of a text in the markup of `radixviz.timeline.MARKUP`.

    `values` gives the number, or the ready span, for each {placeholder}; `role_of_node` the role for each [node].
    Raises KeyError for a placeholder that has no value.
    """
    return tuple(span for span in _pieces(text, values, role_of_node) if span.text)


def _pieces(text: str, values: Mapping[str, int | Span], role_of_node: Callable[[str], Role]) -> Iterator[Span]:
    position = 0
    for found in MARKUP.finditer(text):
        yield Span(text[position : found.start()])
        yield _piece(found, values, role_of_node)
        position = found.end()
    yield Span(text[position:])


def _piece(found: re.Match[str], values: Mapping[str, int | Span], role_of_node: Callable[[str], Role]) -> Span:
    node = found["node"]
    if node is not None:
        return Span(node, role_of_node(node))
    value = values[found["value"]]
    if isinstance(value, Span):
        return value
    if found["one"] is not None:
        return Span(found["one"] if value == 1 else found["many"])
    return Span(str(value), _role(found["role"]))


def _role(look: str | None) -> Role:
    roles: tuple[Role, ...] = ("new", "hit", "evicted", "cached")
    return next((role for role in roles if role == look), "number")
