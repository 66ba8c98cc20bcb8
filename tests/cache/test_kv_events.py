from __future__ import annotations

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.kv_event_maps import sglang_maps, vllm_maps
from radixviz.cache.kv_events import AllBlocksCleared, BlockRemoved, BlockStored, KVEvent, KVEventLog
from radixviz.cache.page_hash import namespace_seed, page_digests, page_hash
from radixviz.cache.radix_cache import RadixCache
from radixviz.errors import BadPageSize, BadTokenId
from radixviz.events import NodeAdded

NOWHERE = (None, None, None, None)
H1, H2 = 7470307888890966271, -1634645291211865391


class Told:
    """A cache that tells outsiders."""

    def __init__(self, page_size: int = 1) -> None:
        self.log = KVEventLog(page_size)
        self.cache = RadixCache(page_size, emit=self.log.note)
        assert self.log.take() == (AllBlocksCleared(),)

    def insert(self, *tokens: int, extra_key: str | None = None, cache_salt: str | None = None) -> tuple[KVEvent, ...]:
        """Insert, and return what is told of it."""
        self.cache.insert(RadixKey(tokens, extra_key, cache_salt=cache_salt))
        return self.log.take()


def hashes(*tokens: int, page_size: int = 1) -> tuple[int, ...]:
    """Return the hashes of a whole sequence without a namespace."""
    return tuple(page_hash(digest) for digest in page_digests(b"", tokens, page_size))


def test_blocks_of_no_token() -> None:
    """A log needs blocks of a token or more."""
    with pytest.raises(BadPageSize) as raised:
        KVEventLog(0)
    assert raised.value.facts() == {"page_size": 0, "limit": None}


def test_a_split_tells_nothing() -> None:
    """A look-up that cuts an edge changes no block; what comes below it then follows the right block."""
    told = Told()
    told.insert(1, 2, 3)
    told.cache.match_prefix(RadixKey([1, 2]))
    assert told.log.take() == ()
    assert told.insert(1, 2, 4) == (BlockStored((hashes(1, 2, 4)[2],), H2, (4,), 1, NOWHERE),)


def test_a_removed_node_names_its_blocks() -> None:
    """Each eviction removes exactly the hashes that were stored, whatever splits came between."""
    told = Told(page_size=2)
    stored = told.insert(1, 2, 3, 4, 5, 6)
    told.insert(1, 2, 7, 8)
    assert isinstance(stored[0], BlockStored)
    told.cache.evict(2)
    assert told.log.take() == (BlockRemoved(stored[0].block_hashes[1:]),)


def test_a_grown_leaf_stores_its_new_blocks() -> None:
    """What a leaf grows by follows the leaf's last block."""
    told = Told()
    told.insert(1)
    leaf = told.cache.match_prefix(RadixKey([1])).node
    told.cache.insert(RadixKey([1, 2]), grow=leaf)
    assert told.log.take() == (BlockStored((H2,), H1, (2,), 1, NOWHERE),)
    told.cache.evict(1)
    assert told.log.take() == (BlockRemoved((H1, H2)),)


def test_a_store_that_goes_on_is_one_event() -> None:
    """Two leaves of which one follows the other are told together, two branches apart."""
    told = Told()
    told.cache.insert(RadixKey([1]))
    told.cache.insert(RadixKey([1, 2]))
    told.cache.insert(RadixKey([1, 3]))
    assert told.log.take() == (
        BlockStored((H1, H2), None, (1, 2), 1, NOWHERE),
        BlockStored(hashes(1, 3)[1:], H1, (3,), 1, NOWHERE),
    )


def test_a10_equal_blocks_are_distinct() -> None:
    """A10 (a): three equal pages in a row are three blocks, each following the one before."""
    told = Told(page_size=4)
    (stored,) = told.insert(*[5] * 12)
    assert isinstance(stored, BlockStored)
    assert (len(set(stored.block_hashes)), stored.parent_block_hash) == (3, None)
    found = [told.cache.match_prefix(RadixKey([5] * n)).prefix_len for n in (12, 8, 13)]
    assert found == [12, 8, 12]


def test_a10_namespaces_are_distinct() -> None:
    """A10 (b): equal tokens of several namespaces are several blocks, and each is removed under its own hash."""
    told = Told()
    parts = [{}, {"extra_key": "a"}, {"extra_key": ""}, {"cache_salt": "a"}]
    stored = [told.insert(1, 2, **each)[0] for each in parts]
    assert len({block for event in stored if isinstance(event, BlockStored) for block in event.block_hashes}) == 8
    told.cache.evict(99)
    removed = told.log.take()
    assert removed == (BlockRemoved(tuple(b for e in stored if isinstance(e, BlockStored) for b in e.block_hashes)),)


def test_a10_removed_blocks_are_all_named() -> None:
    """A10 (c): one removal names every block that went, in the order of their going."""
    told = Told()
    told.insert(1, 2, 3, 4)
    told.insert(1, 2, 5, 6)
    told.cache.evict(99)
    assert told.log.take() == (BlockRemoved((*hashes(1, 2, 3, 4)[2:], *hashes(1, 2, 5, 6)[2:], H1, H2)),)


def test_a10_all_cleared() -> None:
    """A10 (g): after a reset nothing is stored, and what comes then begins anew."""
    told = Told()
    told.insert(1, 2)
    told.cache.reset()
    assert told.log.take() == (AllBlocksCleared(),)
    assert told.insert(1, 2) == (BlockStored((H1, H2), None, (1, 2), 1, NOWHERE),)


def test_tokens_are_as_many_as_blocks_hold() -> None:
    """Each event has block_size tokens for each hash; a page that is not full is not stored."""
    told = Told(page_size=4)
    (stored,) = told.insert(*range(11))
    assert isinstance(stored, BlockStored)
    assert (len(stored.block_hashes), stored.token_ids, stored.block_size) == (2, tuple(range(8)), 4)


def test_a_token_without_a_hash() -> None:
    """A token beyond 4 bytes is refused by the log, and neither it nor what follows it is told, split or evicted."""
    told = Told()
    told.insert(1, 2)
    with pytest.raises(BadTokenId):
        told.insert(1, 2, 3, 1 << 32)
    assert told.insert(1, 2, 3, 1 << 32, 5) == told.insert(1, 2, 3, 6) == ()
    assert told.insert(1, 7) == (BlockStored(hashes(1, 7)[1:], H1, (7,), 1, NOWHERE),)
    told.cache.check_integrity()
    assert told.cache.total_size == 7
    told.cache.evict(99)
    assert told.log.take() == (BlockRemoved((H2, *hashes(1, 7)[1:], H1)),)


def test_a_leaf_that_grew_by_a_token_without_a_hash() -> None:
    """What the leaf had before is told as ever, split or evicted."""
    told = Told()
    told.insert(1, 2)
    leaf = told.cache.match_prefix(RadixKey([1, 2])).node
    with pytest.raises(BadTokenId):
        told.cache.insert(RadixKey([1, 2, -1]), grow=leaf)
    told.cache.match_prefix(RadixKey([1]))
    assert told.insert(1, 8) == (BlockStored(hashes(1, 8)[1:], H1, (8,), 1, NOWHERE),)
    told.cache.evict(99)
    assert told.log.take() == (BlockRemoved((H2, *hashes(1, 8)[1:], H1)),)


def test_sglang_maps() -> None:
    """SGLang's fields, with signed hashes and the salt in a field of its own."""
    told = Told()
    stored = told.insert(1, 2, cache_salt="s")
    told.cache.evict(2)
    first, second = page_digests_of_salt(1, 2)
    assert sglang_maps([*stored, *told.log.take(), AllBlocksCleared()]) == [
        {
            "type": "BlockStored",
            "block_hashes": [first, second],
            "parent_block_hash": None,
            "token_ids": [1, 2],
            "block_size": 1,
            "lora_id": None,
            "medium": "GPU",
            "cache_salt": "s",
            "session_id": None,
            "lora_name": None,
        },
        {"type": "BlockRemoved", "block_hashes": [first, second], "medium": "GPU"},
        {"type": "AllBlocksCleared"},
    ]


def test_vllm_maps() -> None:
    """The fields of vLLM, with unsigned hashes, the salt in the first block's extra keys, a removal for each block."""
    log = KVEventLog(1)
    log.take()
    log.note(NodeAdded(1, None, (1, 2), (10, 20), (None, "lora", "s", None)))
    log.note(NodeAdded(2, 1, (3,), (30,), (None, "lora", "s", None)))
    (stored,) = log.take()
    assert isinstance(stored, BlockStored)
    unsigned = [block % (1 << 64) for block in stored.block_hashes]
    assert vllm_maps([stored, BlockRemoved(stored.block_hashes[:2]), AllBlocksCleared()]) == [
        {
            "type": "BlockStored",
            "block_hashes": unsigned,
            "parent_block_hash": None,
            "token_ids": [1, 2, 3],
            "block_size": 1,
            "lora_id": None,
            "medium": "GPU",
            "lora_name": "lora",
            "extra_keys": [("lora", "s"), ("lora",), ("lora",)],
            "group_idx": 0,
            "kv_cache_spec_kind": "full_attention",
        },
        {"type": "BlockRemoved", "medium": "GPU", "group_idx": 0, "block_hashes": [unsigned[0]]},
        {"type": "BlockRemoved", "medium": "GPU", "group_idx": 0, "block_hashes": [unsigned[1]]},
        {"type": "AllBlocksCleared"},
    ]
    assert all(0 <= block < 1 << 64 for block in unsigned)


def page_digests_of_salt(*tokens: int) -> tuple[int, ...]:
    """Return the hashes of tokens under the salt "s"."""
    seed = namespace_seed((None, None, "s", None))
    return tuple(page_hash(digest) for digest in page_digests(seed, tokens, 1))
