"""Trees as DOT: ids are numbers only, so no text of a user can change the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphviz import Digraph, escape

from radixviz.render.tree_boxes import TreeBox

BOX_INCHES = 2.0
GAP_INCHES = 0.18
"""In the layout every box is 2 inches wide; the drawing scales to its own width, so the text does not matter here."""


def layout_dot(boxes: Sequence[TreeBox]) -> str:
    """Return the DOT that Graphviz lays out: node 0 is the root, node i + 1 is box i, all boxes of one size."""
    graph = Digraph(
        "tree",
        graph_attr={"ordering": "out", "nodesep": f"{GAP_INCHES}", "ranksep": "1"},
        node_attr={"shape": "box", "fixedsize": "true", "width": f"{BOX_INCHES:g}", "height": "1", "label": ""},
    )
    graph.node("0", width="0.2", height="0.2")
    numbers = box_numbers(boxes)
    for box in boxes:
        graph.node(str(numbers[box.key]))
    _add_edges(graph, boxes, numbers)
    return str(graph.source)


def labelled_dot(boxes: Sequence[TreeBox], labels: Mapping[str, Sequence[str]]) -> str:
    """Return DOT that any Graphviz can draw: `labels` holds the lines of text of each box, by its key."""
    graph = Digraph("tree", graph_attr={"ordering": "out"}, node_attr={"shape": "box", "style": "rounded"})
    graph.node("0", label="", shape="point")
    numbers = box_numbers(boxes)
    for box in boxes:
        style = "dashed" if box.look == "evicted" else "rounded"
        graph.node(str(numbers[box.key]), label=escaped(labels[box.key]), style=style)
    _add_edges(graph, boxes, numbers)
    return str(graph.source)


def escaped(lines: Sequence[str]) -> str:
    r"""Return lines of text as a label that shows them exactly, left-aligned.

    Backslashes are doubled, and & becomes an entity, because Graphviz reads both inside a quoted string; a label that
    looks like HTML is text all the same.
    """
    return "".join(escape(line.replace("&", "&amp;")) + "\\l" for line in lines)


def _add_edges(graph: Digraph, boxes: Sequence[TreeBox], numbers: Mapping[str, int]) -> None:
    for box in boxes:
        graph.edge(str(_parent(numbers, box)), str(numbers[box.key]))


def box_numbers(boxes: Sequence[TreeBox]) -> dict[str, int]:
    """Return the number of each box in the DOT, by its key."""
    return {box.key: index + 1 for index, box in enumerate(boxes)}


def _parent(numbers: Mapping[str, int], box: TreeBox) -> int:
    """A ghost or a missing piece can outlive its parent: then it hangs below the root."""
    return numbers.get(box.parent, 0) if box.parent is not None else 0
