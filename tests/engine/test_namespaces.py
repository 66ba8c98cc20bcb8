"""Namespaces from the request to the tree and to what is told: model, adapter, cache salt and extra key stay apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from radixviz.cache.block_cache import BlockCache
from radixviz.cache.radix_cache import RadixCache
from radixviz.events import NO_NAMESPACE, Emit, Namespace, NodeAdded, RequestArrived
from tests.engine.serving import Serving

BOTH_WAYS = pytest.mark.parametrize("turn_as_one_edge", [True, False])


def cached(
    namespaces: list[Namespace], *, turn_as_one_edge: bool = True, make_cache: Callable[..., Any] = RadixCache
) -> list[int]:
    """Return what each of these reuses of one prompt of 20 tokens, asked one after the other."""
    serving = Serving(128, turn_as_one_edge=turn_as_one_edge, make_cache=make_cache)
    for number, namespace in enumerate(namespaces):
        serving.submit(str(number), range(20), 1, namespace=namespace)
        serving.run_until_idle()
    return [sequence.cached_tokens for sequence in serving.engine.sequences.values()]


def alone(part: int, value: object) -> Namespace:
    """Return the namespace that has this value in one part and nothing else."""
    return cast("Namespace", tuple(value if place == part else None for place in range(4)))


@BOTH_WAYS
@pytest.mark.parametrize("part", range(4), ids=["model", "adapter", "cache_salt", "extra_key"])
def test_a09_each_part_separates(part: int, turn_as_one_edge: bool) -> None:
    """The same prompt under nothing, a, b and a again is reused only the last time."""
    asked = [alone(part, value) for value in (None, "a", "b", "a")]
    assert cached(asked, turn_as_one_edge=turn_as_one_edge) == [0, 0, 0, 19]


@BOTH_WAYS
def test_a09_parts_are_never_joined(turn_as_one_edge: bool) -> None:
    """The same letters over two parts, or in another part, are other namespaces."""
    asked: list[Namespace] = [
        (None, None, "ab", "c"),
        (None, None, "a", "bc"),
        (None, "abc", None, None),
        (None, None, None, "abc"),
    ]
    assert cached(asked, turn_as_one_edge=turn_as_one_edge) == [0, 0, 0, 0]


def test_none_is_not_empty() -> None:
    """An empty extra key is a namespace of its own, and so are an empty model and adapter; an empty salt is none."""
    empty = [alone(part, "") for part in (3, 0, 1, 2)]
    assert cached([NO_NAMESPACE, *empty]) == [0, 0, 0, 0, 19]


def blocks(page_size: int, *, disabled: bool, emit: Emit) -> BlockCache:
    """Make a cache of blocks as Serving makes a tree."""
    return BlockCache(page_size, emit=emit)


@pytest.mark.parametrize("make_cache", [RadixCache, blocks])
@pytest.mark.parametrize("part", [2, 3], ids=["cache_salt", "extra_key"])
def test_a27_text_and_number(part: int, make_cache: Callable[..., Any]) -> None:
    """None, the number 1, the text "1" and half a character are four namespaces, whatever holds the tokens."""
    asked = [alone(part, value) for value in (None, 1, "1", "\ud83d", 1)]
    assert cached(asked, make_cache=make_cache) == [0, 0, 0, 0, 19]


def test_the_parts_are_told() -> None:
    """Arrival and new nodes carry the four parts as they were asked."""
    serving, asked = Serving(), ("m", "poet", "salt", "")
    serving.submit("r", range(4), 3, namespace=asked)
    serving.run_until_idle()
    assert [event.namespace for event in serving.events if isinstance(event, (RequestArrived, NodeAdded))] == [
        asked
    ] * 2
    assert [node.namespace for node in serving.engine.tree().nodes] == [asked]
