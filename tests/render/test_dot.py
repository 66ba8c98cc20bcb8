from __future__ import annotations

from radixviz.render.dot import labelled_dot, layout_dot, quoted
from radixviz.render.tree_boxes import TreeBox, tree_boxes
from tests.render.small_timeline import frame, node, timeline


def boxes() -> tuple[TreeBox, ...]:
    """Return a tree of two nodes, the second below the first."""
    now = frame((node(7, None, "ab"), node(9, 7, "c", slot=3)))
    return tree_boxes(timeline(now), now)


def test_the_layout_knows_numbers_only() -> None:
    """The DOT for the layout holds no text of a user, and depends on the tree's shape alone."""
    assert layout_dot(boxes()) == (
        "digraph tree {\n"
        "graph [ordering=out, nodesep=0.18, ranksep=1];\n"
        'node [shape=box, fixedsize=true, width=2, height=1, label=""];\n'
        "0 [width=0.2, height=0.2];\n"
        "1;\n2;\n0 -> 1;\n1 -> 2;\n}\n"
    )


def test_labels_are_quoted() -> None:
    """A backslash, a quote, an entity, a newline's sign and a record's signs are shown as they are."""
    assert quoted(["\\", 'say "hi"', "a\\Nb", "&amp;", "{a|b}"]) == (
        '"\\\\\\lsay \\"hi\\"\\la\\\\Nb\\l&amp;amp;\\l{a|b}\\l"'
    )


def test_a_drawing_by_any_graphviz_has_one_box_for_each_node() -> None:
    """Labels change neither the nodes nor the edges."""
    dot = labelled_dot(boxes(), {"n7": ["<|im_end|>"], "n9": ["2 -> 3; }"]})
    assert dot == (
        "digraph tree {\n"
        "graph [ordering=out];\n"
        "node [shape=box, style=rounded];\n"
        "0 [shape=point];\n"
        '1 [label="<|im_end|>\\l", style=rounded];\n'
        '2 [label="2 -> 3; }\\l", style=rounded];\n'
        "0 -> 1;\n1 -> 2;\n}\n"
    )
