"""Every row of what SGLang 0.5.23's own tests say, and of further runs of it: shown by a test here, or left out.

A1 to A6 are SGLang's tests: of keys, nodes and the cache (test_radix_cache_unit.py), of keys (test_radix_key.py), of
eviction policies (test_evict_policy.py), of schedule policies (test_schedule_policy.py), of the compiled core, and of
whole servers. S, D and L are operations that were run on SGLang itself, C the workload of benchmarks/cache_workload.py.
`tests/conformance/test_rows.py` counts them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

Test = TypeVar("Test", bound=Callable[..., None])

ROWS: dict[str, str] = {
    "A1 key": """init_basic init_with_extra_key len iter getitem_int getitem_slice getitem_invalid_index repr
        hash_page_includes_extra_key""",
    "A1 node": """init_basic init_with_id counter_increment evicted_backuped protect_release_host get_last_hash_value
        lt""",
    "A1 cache": """init_variations reset insert_and_match_basic insert_with_none_value total_size kv_cache_events
        kv_cache_events_with_eviction extra_key_isolation lock_ref_operations evict_functionality
        page_alignment_boundary pretty_print_basic all_values_flatten advanced_prefix_match_with_node_splits
        hash_value_storage hash_value_repeating_tokens hash_value_split block_hashes_isolated_by_extra_key
        memory_allocated available_and_evictable_str""",
    "A2": "part nothing long page_4 extra_key cache_salt bigram limit page_aligned",
    "A3": "lru lfu fifo mru filo priority slru ordering priority_decay",
    "A4": """policy_names without_cache unknown_policy active_lpm active_lof lpm_matched lpm_deprioritised lof_output
        lof_priority fcfs_order fcfs_priority routing_key calc_priority_lpm calc_priority_129 hrrn
        shortest_prefill_first prefill_chunk_limit match_refreshes""",
    "A5": """empty_tree insert_and_match overlap lock_deepest evict_all one_root full_miss no_priority short_value
        page_0 unknown_policy token_beyond_uint32 dfs_order dfs_order_part""",
    "A6": "multi_turn random_tree generated_tokens cache_on_and_off",
    "S": " ".join(map(str, range(1, 25))),
    "D": "1 2",
    "L": "1 2 3",
    "C": "page_1_small page_1_large page_16_small page_16_large",
}

LEFT_OUT: dict[str, tuple[str, ...]] = {
    "Host memory and disk as further tiers: one pool on one device here.": (
        "A1 node evicted_backuped",
        "A1 node protect_release_host",
    ),
    "Hashes of pages are kept by the event log, not by nodes: there is no last hash of a node to ask for.": (
        "A1 node get_last_hash_value",
    ),
    "A node's id comes from its cache and cannot be given.": ("A1 node init_with_id",),
    "Nodes have no order of their own: ties in the order of eviction go by node id.": ("A1 node lt",),
    "Text for a terminal: the snapshot is what others print.": (
        "A1 cache pretty_print_basic",
        "A1 cache available_and_evictable_str",
    ),
    "Memory of a GPU: slots are numbers here, and tests/cache/test_scale.py counts the bytes of a token.": (
        "A1 cache memory_allocated",
    ),
    "Keys over pairs of tokens are for speculative decoding, which is not here.": ("A2 bigram",),
    "Priorities that decay: not in 0.5.23 either, only in a later state of SGLang.": ("A3 priority_decay",),
    "A request whose prefix another one computes is held back for a step, not sorted behind the others.": (
        "A4 lpm_deprioritised",
    ),
    "A request's priority decides what is evicted, not who comes first.": ("A4 lof_priority", "A4 fcfs_priority"),
    "Orders of the queue that are not here.": (
        "A4 routing_key",
        "A4 hrrn",
        "A4 shortest_prefill_first",
        "A4 prefill_chunk_limit",
    ),
}


def shows(*rows: str) -> Callable[[Test], Test]:
    """Say which rows a test shows; what follows a comma tells variants of one row apart and does not count."""

    def marked(test: Test) -> Test:
        test.__dict__["rows"] = tuple(row.partition(",")[0] for row in rows)
        return test

    return marked


def all_rows() -> list[str]:
    """Return the id of every row."""
    spaced = [f"{group} {name}" for group, names in ROWS.items() for name in names.split()]
    return [re.sub(r" (\d+)$", r"\1", row) for row in spaced]  # S1, D2


def left_out_rows() -> list[str]:
    """Return the id of every row that is left out."""
    return [row for rows in LEFT_OUT.values() for row in rows]


def left_out_table() -> str:
    """Return the rows that are left out, with the reasons, as docs/sglang.md has them."""
    lines = [f"| {', '.join(rows)} | {reason} |" for reason, rows in LEFT_OUT.items()]
    return "\n".join(["| row | why it does not apply |", "|---|---|", *lines])
