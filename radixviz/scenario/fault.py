"""A fault of a scenario, and the checks of single values that all parts share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import get_args

from radixviz.scenario.schema import Words
from radixviz.timeline import MARKUP, Look


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: where it is ("stage 5", "request B2", "" for the file's top), in which field, and what it is."""

    where: str
    field: str
    problem: str
    detail: str = ""


def repeats(rows: Iterable[tuple[str, str, str]]) -> Iterator[Fault]:
    """Yield a fault for each (where, field, value) whose value came before."""
    seen: set[str] = set()
    for where, field, value in rows:
        if value in seen:
            yield Fault(where, field, "duplicate", value)
        seen.add(value)


def words_faults(where: str, field: str, words: Words) -> Iterator[Fault]:
    """Check that the text is there in both languages."""
    yield from empty_faults(where, **{f"{field}.en": words.en, f"{field}.zh": words.zh})


def sentence_faults(
    where: str, field: str, words: Words, placeholders: frozenset[str], marks: frozenset[str]
) -> Iterator[Fault]:
    """Check the markup of a sentence: only these placeholders, only these names and letters."""
    for language, text in (("en", words.en), ("zh", words.zh)):
        place = f"{field}.{language}"
        for found in MARKUP.finditer(text):
            value, role, node = found["value"], found["role"], found["node"]
            if value is not None and value not in placeholders:
                yield Fault(where, place, "unknown", f"{{{value}}}")
            if role is not None and role not in get_args(Look):
                yield Fault(where, place, "unknown", f"{{{value}|{role}}}")
            if node is not None and node not in marks:
                yield Fault(where, place, "unbound", f"[{node}]")
        rest = MARKUP.sub("", text)
        if any(bracket in rest for bracket in "{}[]"):
            yield Fault(where, place, "markup", text)


def mark_faults(where: str, field: str, mark: str) -> Iterator[Fault]:
    """Check that a sentence can refer to this name or letter."""
    if MARKUP.fullmatch(f"[{mark}]") is None:
        yield Fault(where, field, "markup" if mark else "empty", mark)


def required_faults(where: str, **fields: str | None) -> Iterator[Fault]:
    """Check that these fields are there and hold text."""
    for field, value in fields.items():
        if value is None:
            yield Fault(where, field, "missing")
        else:
            yield from empty_faults(where, **{field: value})


def empty_faults(where: str, **fields: str) -> Iterator[Fault]:
    """Check that these texts hold more than spaces."""
    for field, value in fields.items():
        if not value.strip():
            yield Fault(where, field, "empty")


def misplaced_faults(where: str, **fields: object) -> Iterator[Fault]:
    """Check that these fields, which mean nothing here, are absent."""
    for field, value in fields.items():
        if value is not None:
            yield Fault(where, field, "misplaced")


def limit_faults(where: str, field: str, value: int) -> Iterator[Fault]:
    """Check that the number is at least 1."""
    if value < 1:
        yield Fault(where, field, "limit", str(value))
