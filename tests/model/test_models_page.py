"""The page about models says what is tested here."""

from __future__ import annotations

import re
from pathlib import Path

from tests.model.random_models import FAMILIES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "models.md"


def test_the_page_lists_the_families_that_are_tested() -> None:
    """One row for each, in the same order, and what it brings is what the random model has."""
    rows = re.findall(r"^\| ([\w-]+) \| ([^|]+) \| (?:sdpa|eager) \|", PAGE.read_text(encoding="utf-8"), flags=re.M)
    assert rows == [(name, str(build.__doc__).rstrip(".")) for name, build in FAMILIES.items()]
