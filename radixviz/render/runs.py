"""Runs: long rows of numbers, most of which follow one another, as a few pairs."""

from __future__ import annotations

from collections.abc import Iterable

Runs = list[list[int]]
"""[[first, count], ...]"""


def runs(numbers: Iterable[int]) -> Runs:
    """Return the numbers, in their order, as runs of consecutive ones.

    >>> runs([7, 8, 9, 3])
    [[7, 3], [3, 1]]
    """
    found: Runs = []
    for number in numbers:
        if found and number == sum(found[-1]):
            found[-1][1] += 1
        else:
            found.append([number, 1])
    return found
