"""What is written on a box of the tree: name, letter, count, badge and the lines of its edge."""

from __future__ import annotations

from collections.abc import Callable

from radixviz.render.edge_text import edge_lines, wrap
from radixviz.render.tree_boxes import TreeBox
from radixviz.render.visible import columns, token_text, visible
from radixviz.render.words import say
from radixviz.timeline import Timeline


def box_name(box: TreeBox, lang: str) -> str:
    """Return the name in bold: the node's stable name, the sample's number, or what there is."""
    if box.sample is not None:
        return say(lang, "sample", n=box.sample)
    return visible(box.name)


def clipped(text: str, width: int) -> str:
    """Return `text`, or as much of it as fits `width` columns together with an ellipsis."""
    if columns(text) <= width:
        return text
    kept = ""
    for character in text:
        if columns(kept + character) > width - 1:
            break
        kept += character
    return kept.rstrip(" +") + "…"


def box_count(box: TreeBox) -> str:
    """Return the number of tokens, stored and running apart: "60", "10 + 60", "+ 9"."""
    if not box.running:
        return str(box.stored)
    return f"{box.stored} + {box.running}" if box.stored else f"+ {box.running}"


def box_head(box: TreeBox, lang: str, columns_beside: Callable[[str], int]) -> tuple[str, str]:
    """Return name and count as they are drawn beside each other; a count leaves so many columns for the name.

    The name is worth more: before it is cut, stored and running tokens are added up, and the name is closed up.
    """
    name, count = box_name(box, lang), box_count(box)
    total = str(box.stored + box.running) if box.stored else count
    closed = name.replace(" + ", "+")
    for fitting, number in ((name, count), (name, total), (closed, total)):
        if columns(fitting) <= columns_beside(number):
            return fitting, number
    return clipped(closed, columns_beside(total)), total


def box_badge(box: TreeBox, lang: str) -> str:
    """Return NEW, HIT, EVICTED or "= sample n" in the reader's language, or nothing."""
    if box.repeats is not None:
        return say(lang, "badge.repeats", n=box.repeats)
    if box.kind in {"running", "missing"} or box.look == "cached":
        return ""
    return say(lang, f"look.{box.look}")


def box_lines(timeline: Timeline, box: TreeBox, lang: str, width: int) -> list[str]:
    """Return the lines of the body, each at most `width` columns wide."""
    if box.kind == "missing":
        return wrap(_missing_text(box, lang), width)
    return edge_lines(box.token_ids, timeline.token_bytes, lambda count: folded(count, lang, width), width)


def box_line(timeline: Timeline, box: TreeBox, lang: str, width: int) -> list[str]:
    """Return the body as one line of at most `width` columns, cut after a word; no line where there is no width."""
    if not width:
        return []
    if box.kind == "missing":
        return [clipped(say(lang, "node.until", stage=box.evicted_in_stage), width)]
    text = token_text(timeline.token_bytes, box.token_ids)
    text = text.strip(" ") or "␣" * len(text)
    return [text if columns(text) <= width else wrap(text, width - 2)[0].rstrip("⏎ ") + " …"]


def folded(count: int, lang: str, width: int) -> str:
    """Return the sign for `count` tokens left out, the short one where the long one does not fit."""
    long = say(lang, "node.more_tokens", n=count)
    return long if columns(long) <= width else f"⋯ +{count}"


def node_tip(timeline: Timeline, box: TreeBox, lang: str) -> str:
    """Return the sentence shown when the pointer rests on a box: what its name stands for, and its whole text."""
    meaning = timeline.script.names.get(box.name, {}).get(lang, "")
    return f"{box.name}: {meaning}" if meaning else box.name


def _missing_text(box: TreeBox, lang: str) -> str:
    label = visible(box.letter or box.name)
    if label:
        return say(lang, "node.was_here", letter=label, stage=box.evicted_in_stage)
    return say(lang, "node.was_here.unlettered", n=box.stored, stage=box.evicted_in_stage)
