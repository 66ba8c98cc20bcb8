"""Amounts: sums of a frame's numbers, as a question names them ("prompt + generated - 1").

Besides the numbers of `radixviz.render.values` there are

    stored   tokens of the frame's sequence that are in the tree
    copies   the different places in which its running samples have the tokens that they reuse
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from radixviz.cache.snapshot import NodeView, TreeSnapshot
from radixviz.render.values import focus, frame_values
from radixviz.timeline import AMOUNT, Frame, SequenceView, Timeline

_LAST_WORD = re.compile(r"\S{1,40}\s*\Z")


def amount(text: str, values: Mapping[str, int]) -> int:
    """Return what the amount comes to.

    Raises KeyError for a name that has no value: a bug of ours, as scenarios are checked.

    >>> amount("prompt + generated - 1", {"prompt": 14, "generated": 3})
    16
    """
    assert AMOUNT.fullmatch(text), text
    first, *rest = text.split()
    total = _term(first, values)
    for sign, term in zip(rest[::2], rest[1::2], strict=True):
        total += _term(term, values) if sign == "+" else -_term(term, values)
    return total


def question_values(timeline: Timeline, frame: Frame) -> Mapping[str, int]:
    """Return every number that an amount of a question about this frame may name."""
    view = focus(frame)
    if view is None:
        return {**frame_values(timeline, frame), "stored": 0, "copies": 0}
    samples = [other for other in frame.sequences if other.request_id == view.request_id and other.state == "running"]
    places = {_slots(frame.tree, other)[: other.cached_tokens] for other in samples}
    return {
        **frame_values(timeline, frame),
        "stored": _stored(frame.tree, view.token_ids),
        "copies": sum(1 for slots in places if slots),
    }


def tokens_until(timeline: Timeline, view: SequenceView, text: str) -> int | None:
    """Return how many tokens of the prompt there are up to the first end of `text`; None where no token ends there."""
    read = b""
    for count, token in enumerate(view.token_ids[: view.prompt_len], 1):
        read += timeline.token_bytes[token]
        if read.endswith(text.encode()):
            return count
    return None


def word_before(timeline: Timeline, view: SequenceView, count: int) -> str:
    """Return the word that ends the first `count` tokens of the prompt, a long one's end, with the lines it ends."""
    read = timeline.text(view.token_ids[: max(0, min(count, view.prompt_len))])
    found = _LAST_WORD.search(read)
    return found[0].strip(" ") if found else ""


def _term(term: str, values: Mapping[str, int]) -> int:
    return int(term) if term.isdecimal() else values[term]


def _slots(tree: TreeSnapshot, view: SequenceView) -> tuple[int, ...]:
    """Return the slots of the nodes that a sequence holds, from the root down."""
    slots: tuple[int, ...] = ()
    node = tree.node(view.node_id) if view.node_id is not None else None
    while node is not None:
        slots = node.slots + slots
        node = tree.node(node.parent_id) if node.parent_id is not None else None
    return slots


def _stored(tree: TreeSnapshot, tokens: tuple[int, ...]) -> int:
    """Return how many of the tokens, from the first one on, are in the tree."""
    found, parent = 0, None
    while (node := _next(tree, parent, tokens[found:])) is not None:
        agree = _agree(node.token_ids, tokens[found:])
        found += agree
        if agree < len(node.token_ids):
            break
        parent = node.node_id
    return found


def _next(tree: TreeSnapshot, parent: int | None, tokens: tuple[int, ...]) -> NodeView | None:
    return next((node for node in tree.children(parent) if _agree(node.token_ids, tokens)), None)


def _agree(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(left), len(right)))
