"""Beginnings: a number for every beginning of a token sequence, exactly (no hashes)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from radixviz.events import Namespace


class Beginnings:
    """A beginning is (the number of what comes before, its last token); the empty one of a namespace has a number too.

    Numbers count from 0 without a gap, so what is known of a beginning can be kept in a list by its number. Memory
    grows with the tokens of all distinct beginnings.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, int], int] = {}
        self._roots: dict[Namespace, int] = {}
        self._goes_on = bytearray()

    def __len__(self) -> int:
        """Return how many numbers are given away."""
        return len(self._goes_on)

    @property
    def namespaces(self) -> Iterable[Namespace]:
        """The namespaces that have a number, in the order of their coming."""
        return self._roots

    def root(self, namespace: Namespace) -> int:
        """Return the number of the empty beginning of a namespace, a new one for a new namespace."""
        if namespace not in self._roots:
            self._roots[namespace] = self._take()
        return self._roots[namespace]

    def follow(self, number: int, token_ids: Iterable[int]) -> Iterator[int]:
        """Yield the number at each token, going on from `number`; what is new gets the next one."""
        for token in token_ids:
            found = self._numbers.get((number, token))
            if found is None:
                self._goes_on[number] = 1
                found = self._numbers[(number, token)] = self._take()
            number = found
            yield number

    def find(self, namespace: Namespace, token_ids: Iterable[int]) -> Iterator[int]:
        """Yield the number at each token as far as it is known; nothing is added."""
        number = self._roots.get(namespace)
        for token in token_ids:
            number = None if number is None else self._numbers.get((number, token))
            if number is None:
                return
            yield number

    def goes_on(self, number: int) -> bool:
        """Return whether a longer beginning of this one is known."""
        return bool(self._goes_on[number])

    def _take(self) -> int:
        self._goes_on.append(0)
        return len(self._goes_on) - 1
