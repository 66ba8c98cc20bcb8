"""Finds and reads a scenario file."""

from __future__ import annotations

from pathlib import Path

from radixviz.errors import BadScenario, UnknownScenario
from radixviz.scenario.checks import faults
from radixviz.scenario.schema import Scenario
from radixviz.scenario.toml_file import TomlKind, failed, read_toml

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"
_KIND = TomlKind(BadScenario, {"request": "id", "stage": "stage", "name": "name"})


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
    scenario = read_toml(path, Scenario, _KIND)
    for fault in faults(scenario):
        raise failed(path, fault, _KIND)
    return scenario
