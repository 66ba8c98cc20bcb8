from __future__ import annotations

from radixviz.render.dot import escaped, labelled_dot, layout_dot
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
        "\tgraph [nodesep=0.18 ordering=out ranksep=1]\n"
        '\tnode [fixedsize=true height=1 label="" shape=box width=2]\n'
        "\t0 [height=0.2 width=0.2]\n"
        "\t1\n\t2\n\t0 -> 1\n\t1 -> 2\n}\n"
    )


def test_labels_show_every_sign_as_it_is() -> None:
    """A backslash, a quote, an entity, a newline's sign and a record's signs mean nothing to Graphviz."""
    lines = ["\\", 'say "hi"', "a\\Nb", "&amp;", "{a|b}"]
    assert escaped(lines) == '\\\\\\lsay "hi"\\la\\\\Nb\\l&amp;amp;\\l{a|b}\\l'


def test_a_drawing_by_any_graphviz_has_one_box_for_each_node() -> None:
    """Labels change neither the nodes nor the edges."""
    dot = labelled_dot(boxes(), {"n7": ["<|im_end|>"], "n9": ['2 -> 3; "}']})
    assert dot == (
        "digraph tree {\n"
        "\tgraph [ordering=out]\n"
        "\tnode [shape=box style=rounded]\n"
        '\t0 [label="" shape=point]\n'
        '\t1 [label="<|im_end|>\\l" style=rounded]\n'
        '\t2 [label="2 -> 3; \\"}\\l" style=rounded]\n'
        "\t0 -> 1\n\t1 -> 2\n}\n"
    )
