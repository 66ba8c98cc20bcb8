"""Schedule policies: in which order waiting sequences are tried.

A policy that knows the cache looks every waiting sequence up, which counts as use of what it finds and may split a node
(so in SGLang). Ties keep the order of the queue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from random import Random
from typing import Protocol

from radixviz.cache.node import TreeNode
from radixviz.cache.prefix_cache import MatchResult
from radixviz.engine.request import Sequence
from radixviz.errors import BadTokenCount, UnknownPolicy

LookUp = Callable[[Sequence], MatchResult]
"""Finds the longest cached prefix of all of a sequence's tokens."""

LONGEST_QUEUE_TO_MATCH = 128
"""With more waiting, longest prefix first is first come, first served for that round (SGLang's value)."""


class SchedulePolicy(Protocol):
    """An order of the queue, made anew at every pass."""

    def order(self, look_up: LookUp, waiting: Iterable[Sequence]) -> list[Sequence]:
        """Return all of `waiting` in the order to try them."""
        ...


class FirstComeFirstServed:
    """The order of the queue (SGLang: fcfs)."""

    def order(self, look_up: LookUp, waiting: Iterable[Sequence]) -> list[Sequence]:
        """As the protocol says."""
        return list(waiting)


class LongestPrefixMatch:
    """The longest cached prefix first (SGLang: lpm; the paper's order).

    `tokens_per_pass` is what a sequence's prefix is taken to be longer for every pass that it has waited before: with
    hot arrivals at every step, a cold one starves at 0. Aging is our choice.
    """

    def __init__(self, *, tokens_per_pass: int = 0) -> None:
        if tokens_per_pass < 0:
            raise BadTokenCount("tokens_per_pass", tokens_per_pass)
        self._tokens_per_pass = tokens_per_pass
        self._passes: dict[Sequence, int] = {}

    def order(self, look_up: LookUp, waiting: Iterable[Sequence]) -> list[Sequence]:
        """As the protocol says; with more than 128 waiting nobody is looked up and the order is the queue's."""
        queue = list(waiting)
        passes = {sequence: self._passes.get(sequence, 0) for sequence in queue}
        self._passes = {sequence: count + 1 for sequence, count in passes.items()}
        if len(queue) > LONGEST_QUEUE_TO_MATCH:
            return queue
        length = {each: look_up(each).prefix_len + self._tokens_per_pass * passes[each] for each in queue}
        return sorted(queue, key=lambda sequence: -length[sequence])


class DepthFirstByWeight:
    """The tree depth first, the branch with the most waiting sequences first (SGLang: dfs-weight).

    A node's own sequences come after those below it, and those that match nothing come last.
    """

    def order(self, look_up: LookUp, waiting: Iterable[Sequence]) -> list[Sequence]:
        """As the protocol says."""
        at = dict[TreeNode, list[Sequence]]()
        for sequence in waiting:
            at.setdefault(look_up(sequence).node, []).append(sequence)
        weight, root = _weights(at)
        ordered = list[Sequence]()
        path = [(root, False)] if root else []
        while path:
            node, below_done = path.pop()
            if below_done:
                ordered += at.get(node, ())
                continue
            path.append((node, True))
            children = [child for child in node.children.values() if weight[child]]
            children.sort(key=lambda child: -weight[child])
            path += [(child, False) for child in reversed(children)]
        return ordered


class LongestOutputFirst:
    """The most new tokens first (SGLang: lof)."""

    def order(self, look_up: LookUp, waiting: Iterable[Sequence]) -> list[Sequence]:
        """As the protocol says."""
        return sorted(waiting, key=lambda sequence: -sequence.request.max_new_tokens)


class RandomOrder:
    """A new shuffle at every pass (SGLang: random)."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def order(self, look_up: LookUp, waiting: Iterable[Sequence]) -> list[Sequence]:
        """As the protocol says."""
        queue = list(waiting)
        self._random.shuffle(queue)
        return queue


SCHEDULE_POLICIES = ("fcfs", "lpm", "dfs-weight", "lof", "random", "lpm-aging")


def schedule_policy(name: str, *, random: Random | None = None, tokens_per_pass: int = 2) -> SchedulePolicy:
    """Make a policy by its name; `random` (default: seed 0) is for "random", `tokens_per_pass` for "lpm-aging".

    Raises UnknownPolicy, or BadTokenCount for negative `tokens_per_pass`.
    """
    match name:
        case "fcfs":
            return FirstComeFirstServed()
        case "lpm":
            return LongestPrefixMatch()
        case "dfs-weight":
            return DepthFirstByWeight()
        case "lof":
            return LongestOutputFirst()
        case "random":
            return RandomOrder(random or Random(0))
        case "lpm-aging":
            return LongestPrefixMatch(tokens_per_pass=tokens_per_pass)
        case _:
            raise UnknownPolicy(name, SCHEDULE_POLICIES)


def _weights(at: dict[TreeNode, list[Sequence]]) -> tuple[Counter[TreeNode], TreeNode | None]:
    """Return how many sequences end at or below each node, and the root."""
    weight = Counter[TreeNode]()
    root: TreeNode | None = None
    for node, sequences in at.items():
        above: TreeNode | None = node
        while above is not None:
            weight[above] += len(sequences)
            root, above = above, above.parent
    return weight, root
