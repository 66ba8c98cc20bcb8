"""Reads a scenario file: all of it, or an error that names file, place, field and problem."""

from __future__ import annotations

import errno
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from radixviz.errors import BadScenario, UnknownScenario
from radixviz.scenario.checks import faults
from radixviz.scenario.fault import Fault
from radixviz.scenario.schema import Scenario

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"
FORMAT = 1
KEYS = {"request": "id", "stage": "stage", "name": "name"}
"""The field by which the tables of a list are called."""


def find_scenario(name: str, folder: Path = FOLDER) -> Path:
    """Return the file of a shipped scenario.

    Raises UnknownScenario, with the names that are known.
    """
    known = {path.stem: path for path in sorted(folder.glob("*.toml"))}
    if name not in known:
        raise UnknownScenario(name, tuple(known))
    return known[name]


def load_scenario(path: Path) -> Scenario:
    """Return the scenario in a UTF-8 TOML file; a byte order mark is read over.

    Raises BadScenario for the first fault: the file cannot be read, its shape is wrong, or its parts do not fit.
    """
    tables = _tables(path)
    scenario = _scenario(path.name, tables)
    for fault in faults(scenario):
        raise _error(path.name, fault)
    return scenario


def _tables(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise BadScenario(path.name, "", "", "unreadable", errno.errorcode.get(error.errno or 0, "")) from error
    except UnicodeDecodeError as error:
        raise BadScenario(path.name, "", "", "unreadable", f"UTF-8: {error.reason}, {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadScenario(path.name, "", "", "syntax", str(error)) from error


def _scenario(file: str, tables: dict[str, object]) -> Scenario:
    # An unknown format is named as such, not by the first of its fields that is new.
    if tables.get("format", FORMAT) != FORMAT:
        raise BadScenario(file, "", "format", "unknown", str(tables["format"]))
    try:
        return msgspec.convert(tables, Scenario)
    except msgspec.ValidationError as error:
        raise _error(file, _shape_fault(str(error), tables)) from error


def _error(file: str, fault: Fault) -> BadScenario:
    return BadScenario(file, fault.where, fault.field, fault.problem, fault.detail)


def _shape_fault(message: str, tables: Mapping[str, object]) -> Fault:
    """Turn msgspec's "Expected `int`, got `str` - at `$.request[3].samples`" into a fault."""
    text, _, path = message.partition(" - at ")
    where, field = _place(path.strip("`").removeprefix("$").removeprefix("."), tables)
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


def _place(path: str, tables: Mapping[str, object]) -> tuple[str, str]:
    """Split "request[3].label.en" into "request B1" and "label.en"."""
    item = re.match(r"(\w+)\[(\d+)\]\.?", path)
    if item is None or item[1] not in KEYS:
        return "", path
    rows = tables[item[1]]
    row = rows[int(item[2])] if isinstance(rows, Sequence) else None
    name = row.get(KEYS[item[1]]) if isinstance(row, Mapping) else None
    return f"{item[1]} {int(item[2]) + 1 if name is None else name}", path[item.end() :]
