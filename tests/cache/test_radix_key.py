from __future__ import annotations

from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radixviz.cache.key import RadixKey, as_token_array, common_prefix_len
from radixviz.errors import BadTokenId, NamespaceMismatch

FEW = st.lists(st.integers(0, 1), max_size=80)


class Number:
    """Stands for an integer, as the integers of array libraries do."""

    def __index__(self) -> int:
        return 7


def test_namespace_parts_stay_apart() -> None:
    """Each part has its own place: equal strings in other parts make other keys."""
    keys = [
        RadixKey([1], "x"),
        RadixKey([1], cache_salt="x"),
        RadixKey([1], adapter="x"),
        RadixKey([1], model="x"),
        RadixKey([1]),
    ]
    assert len(set(keys)) == 5
    assert [key.namespace for key in keys[:4]] == [
        (None, None, None, "x"),
        (None, None, "x", None),
        (None, "x", None, None),
        ("x", None, None, None),
    ]


def test_empty_extra_key_is_one() -> None:
    """An extra key of "" differs from none at all."""
    assert RadixKey([1], "") != RadixKey([1])
    with pytest.raises(NamespaceMismatch, match="part='extra_key', left='', right=None"):
        RadixKey([1], "").match(RadixKey([1]))


def test_empty_salt_is_none() -> None:
    """A cache salt of "" is no salt."""
    key = RadixKey([1], cache_salt="")
    assert (key, key.cache_salt) == (RadixKey([1]), None)


@pytest.mark.parametrize("part", ["model", "adapter", "cache_salt", "extra_key"])
def test_mismatch_names_the_part(part: str) -> None:
    """Keys of different namespaces cannot be compared, and the error names the part that differs."""
    key = RadixKey([1, 2], **{part: "other"})
    with pytest.raises(NamespaceMismatch) as raised:
        RadixKey([1, 2]).match(key)
    assert raised.value.facts() == {"part": part, "left": None, "right": "other"}


@pytest.mark.parametrize(
    ("ids", "value", "position"),
    [
        ([1, 2, 1 << 63], 1 << 63, 2),
        ([-(1 << 63) - 1], -(1 << 63) - 1, 0),
        ([1, "2"], "2", 1),
        ([1.0], 1.0, 0),
        ([None], None, 0),
        ("12", "1", 0),
        ([Number(), 1.5], 1.5, 1),
    ],
)
def test_bad_token_id(ids: list[int], value: object, position: int) -> None:
    """What is no integer of 64 bits is refused, with its place."""
    with pytest.raises(BadTokenId) as raised:
        RadixKey(ids)
    assert raised.value.facts() == {"value": value, "position": position, "limit": None}


def test_any_integers_are_tokens() -> None:
    """Token ids may come from any iterable of integers, large and negative ones too."""
    largest = (1 << 63) - 1
    assert list(RadixKey(n for n in (largest, -1, 0))) == [largest, -1, 0]
    assert list(RadixKey([Number(), True])) == [7, 1]  # type: ignore[list-item]
    assert as_token_array(array("i", [1, 2])) == array("q", [1, 2])


def test_array_is_not_copied() -> None:
    """An array of 64-bit integers becomes the key's own without a copy."""
    ids = array("q", [1, 2])
    assert RadixKey(ids).token_ids is ids


def test_slice_with_step() -> None:
    """Tokens cannot be skipped: a slice has step 1."""
    with pytest.raises(ValueError, match="step 1, not 2"):
        RadixKey([1, 2, 3])[::2]


def test_equality_and_hash() -> None:
    """Keys are equal when tokens and namespaces are, and then hash alike."""
    assert RadixKey([1, 2], "a") == RadixKey((1, 2), "a")
    assert hash(RadixKey([1, 2], "a")) == hash(RadixKey((1, 2), "a"))
    assert RadixKey([1, 2], "a") != RadixKey([1, 3], "a")
    assert RadixKey([1, 2]) != [1, 2]


def test_parts_of_a_key_keep_its_namespace() -> None:
    """A slice, a token and the aligned key are in the namespace of the whole."""
    key = RadixKey([1, 2, 3], "a", cache_salt="s", adapter="l", model="m")
    assert {part.namespace for part in (key[1:], key[0], key.page_aligned(2))} == {("m", "l", "s", "a")}


@settings(max_examples=100, derandomize=True, deadline=None, database=None)
@given(edge=FEW, before=FEW, tokens=FEW, limit=st.integers(0, 80))
def test_common_prefix_len(edge: list[int], before: list[int], tokens: list[int], limit: int) -> None:
    """The length is what comparing one token after the other gives, wherever the tokens start."""
    limit = min(limit, len(edge), len(tokens))
    expected = next((n for n in range(limit) if edge[n] != tokens[n]), limit)
    found = common_prefix_len(array("q", edge), array("q", [*before, *tokens]), len(before), limit)
    assert found == expected


@pytest.mark.parametrize("differs", [0, 1, 15, 16, 17, 47, 48, 49, 998, 999])
def test_common_prefix_len_at_the_edges_of_windows(differs: int) -> None:
    """The first difference is found wherever it lies in the windows that double."""
    edge = array("q", range(1000))
    tokens = array("q", range(1000))
    tokens[differs] = -1
    assert common_prefix_len(edge, tokens, 0, 1000) == differs
