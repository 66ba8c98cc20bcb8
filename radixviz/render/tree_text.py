"""The tree as plain text, for screens without Graphviz and for readers who listen."""

from __future__ import annotations

from radixviz.render.box_text import box_badge, box_count, box_lines, box_name
from radixviz.render.tree_boxes import TreeBox, tree_boxes
from radixviz.render.words import say
from radixviz.timeline import Frame, Timeline


def tree_text(timeline: Timeline, frame: Frame, lang: str) -> str:
    """Return the frame's tree as indented lines, one for the root and one for each box."""
    boxes = tree_boxes(timeline, frame)
    keys = {box.key for box in boxes}
    children: dict[str | None, list[TreeBox]] = {}
    for box in boxes:
        children.setdefault(box.parent if box.parent in keys else None, []).append(box)
    lines = [say(lang, "tree.root")]
    waiting = [(box, "", index == 0) for index, box in enumerate(reversed(children.get(None, [])))]
    while waiting:
        box, indent, last = waiting.pop()
        lines.append(f"{indent}{'└─ ' if last else '├─ '}{box_line(timeline, box, lang)}")
        below = indent + ("   " if last else "│  ")
        waiting += [(child, below, i == 0) for i, child in enumerate(reversed(children.get(box.key, [])))]
    return "\n".join(lines)


def box_line(timeline: Timeline, box: TreeBox, lang: str) -> str:
    """Return one box in one line: name, letter, count, badge, lock and text."""
    badge = box_badge(box, lang)
    parts = [
        box_name(box, lang),
        box.letter,
        f"({box_count(box)})",
        f"[{badge}]" if badge else "",
        f"lock_ref {box.lock_ref}" if box.lock_ref else "",
        " ".join(box_lines(timeline, box, lang, 28)),
    ]
    return " ".join(part for part in parts if part)


def box_labels(timeline: Timeline, frame: Frame, lang: str) -> dict[str, list[str]]:
    """Return the lines of text of each box by its key, for a tree that Graphviz itself draws."""
    labels = {}
    for box in tree_boxes(timeline, frame):
        badge = box_badge(box, lang)
        head = " ".join(part for part in (box_name(box, lang), box.letter, box_count(box), badge) if part)
        labels[box.key] = [head, *box_lines(timeline, box, lang, 28)]
    return labels
