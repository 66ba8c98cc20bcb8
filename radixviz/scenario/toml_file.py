"""Reads a TOML file into frozen structs: all of it, or an error that names file, place, field and problem."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from radixviz.errors import BadScenario, system_name
from radixviz.scenario.fault import Fault

FORMAT = 1
_Shape = TypeVar("_Shape", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class TomlKind:
    """What kind of file is read: the error that it ends with, and the field by which the tables of a list are called.

    A list whose field is "" has its tables counted, from 1.
    """

    error: type[BadScenario]
    keys: Mapping[str, str]


def read_toml(path: Path, shape: type[_Shape], kind: TomlKind) -> _Shape:
    """Return the file, UTF-8 with or without a byte order mark, in this shape.

    Raises the kind's error for the first fault of the file or of its shapes.
    """
    tables = _tables(path, kind)
    # An unknown format is named as such, not by the first of its fields that is new.
    if tables.get("format", FORMAT) != FORMAT:
        raise failed(path, Fault("", "format", "unknown", str(tables["format"])), kind)
    try:
        return msgspec.convert(tables, shape)
    except msgspec.ValidationError as error:
        raise failed(path, _shape_fault(str(error), tables, kind), kind) from error


def failed(path: Path, fault: Fault, kind: TomlKind) -> BadScenario:
    """Return the error for a fault in this file."""
    return kind.error(path.name, fault.where, fault.field, fault.problem, fault.detail)


def _tables(path: Path, kind: TomlKind) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise failed(path, Fault("", "", "unreadable", system_name(error)), kind) from error
    except UnicodeDecodeError as error:
        raise failed(path, Fault("", "", "unreadable", f"UTF-8: {error.reason}, {error.start}"), kind) from error
    except tomllib.TOMLDecodeError as error:
        raise failed(path, Fault("", "", "syntax", str(error)), kind) from error


def _shape_fault(message: str, tables: Mapping[str, object], kind: TomlKind) -> Fault:
    """Turn msgspec's "Expected `int`, got `str` - at `$.request[3].samples`" into a fault."""
    text, _, path = message.partition(" - at ")
    where, field = _place(path.strip("`").removeprefix("$").removeprefix("."), tables, kind)
    if named := re.fullmatch(r"Object (missing required|contains unknown) field `(.+)`", text):
        problem = "missing" if named[1] == "missing required" else "field"
        return Fault(where, ".".join(part for part in (field, named[2]) if part), problem)
    if value := re.fullmatch(r"Invalid enum value '(.*)'", text):
        return Fault(where, field, "unknown", value[1])
    if limit := re.match(r"Expected `int` (<=|>=) (-?\d+)", text):
        return Fault(where, field, "limit", limit[2])
    if "out of range" in text:
        return Fault(where, field, "limit", "2^63")
    return Fault(where, field, "type", text.removeprefix("Expected ").replace("`", ""))


def _place(path: str, tables: Mapping[str, object], kind: TomlKind) -> tuple[str, str]:
    """Split "request[3].label.en" into "request B1" and "label.en"."""
    item = re.match(r"(\w+)\[(\d+)\]\.?", path)
    if item is None or item[1] not in kind.keys:
        return "", path
    rows = tables[item[1]]
    row = rows[int(item[2])] if isinstance(rows, Sequence) else None
    name = row.get(kind.keys[item[1]]) if isinstance(row, Mapping) else None
    return f"{item[1]} {int(item[2]) + 1 if name is None else name}", path[item.end() :]
