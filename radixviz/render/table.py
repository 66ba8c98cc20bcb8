"""A table: each distinct row once, named by its place."""

from __future__ import annotations

import json

Json = dict[str, object]


class Table:
    """Rows in the order of their first coming."""

    def __init__(self) -> None:
        self.rows: list[Json] = []
        self._places: dict[str, int] = {}

    def place(self, row: Json) -> int:
        """Return the place of this row, which is added when there is no equal one."""
        key = json.dumps(row, ensure_ascii=False, sort_keys=True)
        if key not in self._places:
            self._places[key] = len(self.rows)
            self.rows.append(row)
        return self._places[key]
