"""Trees as DOT: ids are numbers only, so no text of a user can change the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from radixviz.render.tree_boxes import TreeBox

BOX_INCHES = 2.0
GAP_INCHES = 0.18
"""In the layout every box is 2 inches wide; the drawing scales to its own width, so the text does not matter here."""


def layout_dot(boxes: Sequence[TreeBox]) -> str:
    """Return the DOT that Graphviz lays out: node 0 is the root, node i + 1 is box i, all boxes of one size."""
    lines = [
        "digraph tree {",
        f"graph [ordering=out, nodesep={GAP_INCHES}, ranksep=1];",
        f'node [shape=box, fixedsize=true, width={BOX_INCHES:g}, height=1, label=""];',
        "0 [width=0.2, height=0.2];",
    ]
    numbers = box_numbers(boxes)
    lines += [f"{numbers[box.key]};" for box in boxes]
    lines += [f"{_parent(numbers, box)} -> {numbers[box.key]};" for box in boxes]
    return "\n".join([*lines, "}", ""])


def labelled_dot(boxes: Sequence[TreeBox], labels: Mapping[str, Sequence[str]]) -> str:
    """Return DOT that any Graphviz can draw: `labels` holds the lines of text of each box, by its key."""
    numbers = box_numbers(boxes)
    lines = ["digraph tree {", "graph [ordering=out];", "node [shape=box, style=rounded];", "0 [shape=point];"]
    for box in boxes:
        style = "dashed" if box.look == "evicted" else "rounded"
        lines.append(f"{numbers[box.key]} [label={quoted(labels[box.key])}, style={style}];")
    lines += [f"{_parent(numbers, box)} -> {numbers[box.key]};" for box in boxes]
    return "\n".join([*lines, "}", ""])


def quoted(lines: Sequence[str]) -> str:
    r"""Return lines of text as one quoted DOT string that shows them exactly, left-aligned.

    Backslashes are doubled, and & becomes an entity, because Graphviz reads both inside a quoted string.
    """
    escaped = (line.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "".join(line + "\\l" for line in escaped) + '"'


def box_numbers(boxes: Sequence[TreeBox]) -> dict[str, int]:
    """Return the number of each box in the DOT, by its key."""
    return {box.key: index + 1 for index, box in enumerate(boxes)}


def _parent(numbers: Mapping[str, int], box: TreeBox) -> int:
    """A ghost or a missing piece can outlive its parent: then it hangs below the root."""
    return numbers.get(box.parent, 0) if box.parent is not None else 0
