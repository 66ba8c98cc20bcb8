from __future__ import annotations

import itertools

import pytest

from radixviz.cache.page_hash import namespace_seed, page_digests, page_hash
from radixviz.errors import BadTokenId
from radixviz.events import Namespace

FIRST = 7470307888890966271
NOWHERE = (None, None, None, None)


@pytest.mark.parametrize(
    ("tokens", "page_size", "hashes"),
    [
        ([1], 1, [FIRST]),
        ([1, 2], 1, [FIRST, -1634645291211865391]),
        ([1, 2, 3, 4], 2, [3817746824117602890, -4216701448867210342]),
        ([1, 2, 3], 2, [3817746824117602890]),
        ([], 1, []),
    ],
)
def test_hashes_are_those_of_sglang(tokens: list[int], page_size: int, hashes: list[int]) -> None:
    """Each whole page has SGLang's hash; a page that is not full has none."""
    assert [page_hash(digest) for digest in page_digests(b"", tokens, page_size)] == hashes


def test_a_chain_can_be_taken_up() -> None:
    """From the digest of the page before, the rest of the chain is the same."""
    whole = page_digests(b"", [1, 2, 3], 1)
    assert page_digests(whole[0], [2, 3], 1) == whole[1:]


def test_namespaces_begin_apart() -> None:
    """No two namespaces begin a chain alike: absent, empty, moved to another part or joined otherwise."""
    parts = (None, "", "a", "ab", "1", 1, "\ud83d")  # JSON brings numbers and half characters
    namespaces = list[Namespace](itertools.product(parts, repeat=4))  # type: ignore[arg-type]
    assert len({namespace_seed(each) for each in namespaces}) == len(namespaces)
    assert namespace_seed(NOWHERE) == b""


def test_a_salt_begins_as_in_sglang() -> None:
    """A cache salt alone gives the hash that SGLang's default events have for it."""
    seed = namespace_seed((None, None, "s1", None))
    assert page_hash(page_digests(seed, [1], 1)[0]) == 8873076651397094749


@pytest.mark.parametrize("token", [-1, 1 << 32])
def test_a_token_beyond_four_bytes(token: int) -> None:
    """A token that does not fit into 4 bytes has no hash, and the error names it with its place and the limit."""
    with pytest.raises(BadTokenId) as raised:
        page_digests(b"", [7, token], 1)
    assert raised.value.facts() == {"value": token, "position": 1, "limit": (1 << 32) - 1}
