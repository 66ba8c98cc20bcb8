"""A tree in one line, so that a test can compare the whole of it."""

from __future__ import annotations

from collections.abc import Iterable

from radixviz.cache.snapshot import NodeView, TreeSnapshot


def tree_text(tree: TreeSnapshot, *fields: str) -> str:
    """Return every node as "tokens(fields)" with its children in braces: "1 2(4) {3(1), 5..9(1)}".

    Three or more ids in a row are shortened to "5..9". A top node of a namespace shows it: "key1: 1 2".
    """
    below: dict[int | None, list[str]] = {}
    for node in reversed(tree.nodes):
        children = below.pop(node.node_id, [])
        text = _node_text(node, fields) + (f" {{{', '.join(children)}}}" if children else "")
        below.setdefault(node.parent_id, []).insert(0, text)
    return ", ".join(below.get(None, []))


def ids_text(ids: Iterable[int]) -> str:
    """Return the ids with spaces between, three or more in a row as "first..last"; "-" for none."""
    runs: list[list[int]] = []
    for number in ids:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return " ".join(f"{run[0]}..{run[-1]}" if len(run) > 2 else " ".join(map(str, run)) for run in runs) or "-"


def ids_of(text: str) -> tuple[int, ...]:
    """Return the ids that `ids_text` wrote: "1 2 5..7" stands for 1, 2, 5, 6, 7, and "-" for none."""
    ids: list[int] = []
    for word in text.split() if text != "-" else ():
        first, _, last = word.partition("..")
        ids.extend(range(int(first), int(last or first) + 1))
    return tuple(ids)


def _node_text(node: NodeView, fields: Iterable[str]) -> str:
    values = [getattr(node, field) for field in fields]
    shown = ",".join(ids_text(value) if isinstance(value, tuple) else str(value) for value in values)
    named = "/".join(repr(part) for part in node.namespace if part is not None) if node.parent_id is None else ""
    return (f"{named}: " if named else "") + ids_text(node.token_ids) + (f"({shown})" if shown else "")
