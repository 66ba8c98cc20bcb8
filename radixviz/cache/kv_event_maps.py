"""The events for outsiders as the maps that SGLang and vLLM put on the wire, ready for JSON or msgpack.

The field names are theirs (SGLang 0.5.23: disaggregation/kv_events.py; vLLM 0.32: distributed/kv_events.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from radixviz.cache.kv_events import AllBlocksCleared, BlockRemoved, BlockStored, KVEvent

Map = Mapping[str, object]
MEDIUM = "GPU"
"""Where SGLang and vLLM say that blocks of the first tier lie; there is one tier here."""


def sglang_maps(events: Sequence[KVEvent]) -> list[Map]:
    """Return one map for each event: signed hashes, the cache salt as a field of its own."""
    return [_sglang_map(event) for event in events]


def vllm_maps(events: Sequence[KVEvent]) -> list[Map]:
    """Return the maps that vLLM would send: unsigned hashes, one removed block in each map.

    The cache salt is in `extra_keys` of the first block of a sequence. Model and extra key have no place there; the
    hashes tell them apart.
    """
    return [each for event in events for each in _vllm_maps(event)]


def _sglang_map(event: KVEvent) -> Map:
    match event:
        case BlockStored():
            _, adapter, cache_salt, _ = event.namespace
            return {
                "type": "BlockStored",
                "block_hashes": list(event.block_hashes),
                "parent_block_hash": event.parent_block_hash,
                "token_ids": list(event.token_ids),
                "block_size": event.block_size,
                "lora_id": None,
                "medium": MEDIUM,
                "cache_salt": cache_salt,
                "session_id": None,
                "lora_name": adapter,
            }
        case BlockRemoved():
            return {"type": "BlockRemoved", "block_hashes": list(event.block_hashes), "medium": MEDIUM}
        case AllBlocksCleared():
            return {"type": "AllBlocksCleared"}
        case _:
            assert_never(event)


def _vllm_maps(event: KVEvent) -> list[Map]:
    match event:
        case BlockStored():
            _, adapter, _, _ = event.namespace
            parent = event.parent_block_hash
            stored = {
                "type": "BlockStored",
                "block_hashes": [_unsigned(block) for block in event.block_hashes],
                "parent_block_hash": None if parent is None else _unsigned(parent),
                "token_ids": list(event.token_ids),
                "block_size": event.block_size,
                "lora_id": None,
                "medium": MEDIUM,
                "lora_name": adapter,
                "extra_keys": _extra_keys(event),
                "group_idx": 0,
                "kv_cache_spec_kind": "full_attention",
            }
            return [stored]
        case BlockRemoved():
            removed = {"type": "BlockRemoved", "medium": MEDIUM, "group_idx": 0}
            return [{**removed, "block_hashes": [_unsigned(block)]} for block in event.block_hashes]
        case AllBlocksCleared():
            return [{"type": "AllBlocksCleared"}]
        case _:
            assert_never(event)


def _extra_keys(event: BlockStored) -> list[tuple[str, ...] | None]:
    """Return what each block's hash has besides its tokens: the adapter, and the salt in the first of a sequence."""
    _, adapter, cache_salt, _ = event.namespace
    each = (adapter,) if adapter is not None else ()
    first = (*each, cache_salt) if cache_salt is not None and event.parent_block_hash is None else each
    return [keys or None for keys in (first, *[each] * (len(event.block_hashes) - 1))]


def _unsigned(block: int) -> int:
    return block % (1 << 64)
