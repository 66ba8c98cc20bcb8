"""What SGLang's own tests and further runs of SGLang 0.5.23 say of the events that tell which blocks are stored."""

from __future__ import annotations

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.kv_events import AllBlocksCleared, BlockRemoved, BlockStored, KVEvent, KVEventLog
from radixviz.cache.page_hash import page_digests, page_hash
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import BadTokenId
from radixviz.events import NO_NAMESPACE
from tests.conformance.rows import shows
from tests.tree_text import ids_of


def told(page_size: int, *inserted: str, extra_keys: tuple[str | None, ...] = (), evict: int = 0) -> list[KVEvent]:
    """Insert these tokens one after the other, evict, and return everything that was told."""
    log = KVEventLog(page_size)
    cache = RadixCache(page_size, emit=log.note)
    for tokens, extra_key in zip(inserted, extra_keys or (None,) * len(inserted), strict=True):
        cache.insert(RadixKey(ids_of(tokens), extra_key))
    cache.evict(evict)
    cache.check_integrity()
    return list(log.take())


def hashes(tokens: str, page_size: int = 1) -> tuple[int, ...]:
    """Return the hashes of the pages of these tokens."""
    return tuple(map(page_hash, page_digests(b"", ids_of(tokens), page_size)))


def stored(
    page_size: int, tokens: str, known: str = "-", extra_key: str | None = None, blocks: tuple[int, ...] = ()
) -> BlockStored:
    """Return the event for `tokens` behind what was known; without `blocks` their hashes are those of no namespace."""
    whole = hashes(f"{known} {tokens}".replace("- ", ""), page_size)
    pages = len(ids_of(known)) // page_size
    parent = whole[pages - 1] if pages else None
    namespace = (*NO_NAMESPACE[:3], extra_key)
    return BlockStored(blocks or whole[pages:], parent, ids_of(tokens), page_size, namespace)


@shows("A1 cache kv_cache_events", "A1 cache hash_value_storage")
@pytest.mark.parametrize(
    ("page_size", "tokens", "kept"), [(1, "1..5", "1..5"), (2, "1..5", "1..4"), (4, "1..8", "1..8")]
)
def test_what_is_inserted_is_told(page_size: int, tokens: str, kept: str) -> None:
    """Each whole page is a block with its hash."""
    assert told(page_size, tokens) == [AllBlocksCleared(), stored(page_size, kept)]


@shows("A1 cache kv_cache_events_with_eviction")
def test_what_is_evicted_is_told() -> None:
    """The removal names the hashes that were stored."""
    assert told(1, "1 2 3", evict=3) == [AllBlocksCleared(), stored(1, "1 2 3"), BlockRemoved(hashes("1 2 3"))]


@shows("A1 cache hash_value_repeating_tokens")
def test_equal_pages_of_a_sequence_differ() -> None:
    """The second of two equal pages has another hash, and follows the first."""
    _, event = told(4, "1..4 1..4")
    assert isinstance(event, BlockStored)
    assert (len(set(event.block_hashes)), event.parent_block_hash) == (2, None)


@shows("A1 cache hash_value_split")
def test_a_split_divides_the_hashes() -> None:
    """What comes below the upper part of a split follows its one page."""
    assert told(2, "1..4", "1 2 5 6") == [AllBlocksCleared(), stored(2, "1..4"), stored(2, "5 6", known="1 2")]


@shows("A1 cache block_hashes_isolated_by_extra_key", "A1 key hash_page_includes_extra_key")
def test_namespaces_have_their_own_hashes() -> None:
    """The same page under four extra keys, none and "" among them, is four blocks."""
    extra_keys = (None, "", "key1", "key2")
    _, *events = told(4, *["1..4"] * 4, extra_keys=extra_keys)
    blocks = [event.block_hashes for event in events if isinstance(event, BlockStored)]
    assert len(set(blocks)) == 4
    assert events == [
        stored(4, "1..4", extra_key=extra_key, blocks=block)
        for extra_key, block in zip(extra_keys, blocks, strict=True)
    ]


@shows("S23")
def test_s23() -> None:
    """S23: a leaf, a branch behind a split, and everything evicted, told in four events."""
    gone = (*hashes("1..4")[2:], *hashes("1 2 5 6")[2:], *hashes("1 2"))
    assert told(1, "1..4", "1 2 5 6", evict=99) == [
        AllBlocksCleared(),
        stored(1, "1..4"),
        stored(1, "5 6", known="1 2"),
        BlockRemoved(gone),
    ]


@shows("A5 token_beyond_uint32")
@pytest.mark.parametrize("token", [-1, 1 << 32])
def test_a_token_that_has_no_hash(token: int) -> None:
    """A token that does not fit into 32 bits is a ValueError where it is hashed."""
    with pytest.raises(ValueError, match=f"value={token}, position=1, limit=4294967295") as raised:
        page_digests(b"", [1, token], 1)
    assert raised.type is BadTokenId
