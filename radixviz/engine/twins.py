"""Twins: waiting sequences whose prompts begin as one that is being computed right now."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from radixviz.cache.key import RadixKey
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.request import Sequence


class PrefillsUnderWay:
    """The prompts that a step computes, as a tree of their own, made anew for each batch (so in SGLang)."""

    def __init__(self, sequences: Iterable[Sequence]) -> None:
        self._tree = RadixCache()
        for sequence in sequences:
            self.add(sequence)

    def add(self, sequence: Sequence) -> None:
        """Count this one in."""
        self._tree.insert(_key(sequence))

    def shared_len(self, sequence: Sequence) -> int:
        """Return how many leading tokens of `sequence` another one computes or has."""
        return self._tree.match_prefix(_key(sequence)).prefix_len


def _key(sequence: Sequence) -> RadixKey:
    return RadixKey.of(array("q", sequence.token_ids), sequence.request.namespace)
