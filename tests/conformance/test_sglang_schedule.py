"""Schedule policies against SGLang 0.5.23: for each tree and queue, the order in which the requests are tried.

All rows, those left out, and the reasons are in rows.py.
"""

from __future__ import annotations

import pytest

from radixviz.cache.key import RadixKey
from radixviz.cache.prefix_cache import MatchResult
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.request import Request, Sequence
from radixviz.engine.schedule import schedule_policy
from tests.conformance.rows import shows

Tokens = tuple[int, ...]
LONG = tuple(range(20))
A1, A2, B, BRANCH_A = (1, 10), (1, 11), (2, 20), (1, 99)


def waiting(*prompts: Tokens, max_new_tokens: tuple[int, ...] = ()) -> list[Sequence]:
    """Return sequences with these prompts, in the order of coming."""
    counts = max_new_tokens or (1,) * len(prompts)
    requests = [Request(str(n), prompt, count) for n, (prompt, count) in enumerate(zip(prompts, counts, strict=True))]
    return [Sequence(each, each.request_id, 1, each.draw(1), list(each.prompt_ids)) for each in requests]


class CountingLookUps:
    """Looks up in a tree that holds `stored`, and counts."""

    def __init__(self, *stored: Tokens, disabled: bool = False) -> None:
        self.cache = RadixCache(disabled=disabled)
        self.count = 0
        for tokens in stored:
            self.cache.insert(RadixKey(tokens))

    def __call__(self, sequence: Sequence) -> MatchResult:
        """Match the whole prompt."""
        self.count += 1
        return self.cache.match_prefix(RadixKey(sequence.token_ids))


def order(name: str, look_up: CountingLookUps, queue: list[Sequence]) -> list[int]:
    """Return the places in the queue in the order to try."""
    return [int(each.sequence_id) for each in schedule_policy(name).order(look_up, queue)]


@shows("A4 fcfs_order", "A4 lpm_matched", "A4 calc_priority_lpm", "A5 dfs_order", "A5 dfs_order_part", "D1", "D2")
@pytest.mark.parametrize(
    ("name", "stored", "prompts", "expected"),
    [
        ("fcfs", (LONG,), ((9,), LONG[:5], LONG), [0, 1, 2]),
        ("lpm", (LONG,), (LONG[:5], LONG[:10], LONG[:2]), [1, 0, 2]),
        ("lpm", (LONG,), (LONG[:1], LONG[:5]), [1, 0]),
        ("lpm", (), (LONG[:1], LONG[:5]), [0, 1]),
        ("dfs-weight", (A1, A2, B), (B, A2, A1, A1, BRANCH_A), [2, 3, 1, 4, 0]),
        ("dfs-weight", (A1, A2, B), (B, A2), [1, 0]),
        (
            "dfs-weight",
            ((1, 2, 3), (1, 2, 4), (5, 6)),
            ((5, 6), (1, 2, 3), (5, 6), (1, 2, 4), (1, 2, 4), (9,)),
            [3, 4, 1, 0, 2, 5],
        ),
        (
            "dfs-weight",
            ((1, 2, 3, 4), (1, 2, 5), (7, 8)),
            ((7, 8), (1, 2, 5), (1, 2, 3, 4), (7, 8), (7, 8)),
            [0, 3, 4, 2, 1],
        ),
        ("dfs-weight", (), (), []),
    ],
)
def test_order_by_prefix(
    name: str, stored: tuple[Tokens, ...], prompts: tuple[Tokens, ...], expected: list[int]
) -> None:
    """The queue is tried in SGLang's order for this tree."""
    assert order(name, CountingLookUps(*stored), waiting(*prompts)) == expected


@shows("A4 lof_output", "A4 active_lof")
def test_longest_output_first() -> None:
    """The most new tokens first: 50, 200, 100 come as 200, 100, 50, and 200 waiting change nothing in that."""
    look_up = CountingLookUps()
    assert order("lof", look_up, waiting((1,), (2,), (3,), max_new_tokens=(50, 200, 100))) == [1, 2, 0]
    many = waiting(*((1,),) * 200, max_new_tokens=tuple(range(1, 201)))
    assert order("lof", look_up, many) == list(range(199, -1, -1))
    assert look_up.count == 0


@shows("A4 active_lpm", "A4 calc_priority_129")
@pytest.mark.parametrize("name", ["lpm", "lpm-aging"])
@pytest.mark.parametrize(("length", "sorted_by_prefix"), [(10, True), (128, True), (129, False)])
def test_a_long_queue_is_not_looked_up(name: str, length: int, sorted_by_prefix: bool) -> None:
    """128 waiting are sorted by their prefix; 129 stay in the order of coming, and no prefix is computed."""
    look_up = CountingLookUps(LONG)
    queue = waiting(*((9,),) * (length - 1), LONG)
    assert order(name, look_up, queue)[0] == (length - 1 if sorted_by_prefix else 0)
    assert look_up.count == (length if sorted_by_prefix else 0)


@shows("A4 without_cache")
@pytest.mark.parametrize("name", ["lpm", "lpm-aging", "dfs-weight"])
def test_without_a_cache_first_come_is_first_served(name: str) -> None:
    """A cache that is off gives every policy that asks it the order of the queue."""
    look_up = CountingLookUps(LONG, disabled=True)
    assert order(name, look_up, waiting((9,), LONG[:5], LONG)) == [0, 1, 2]


@shows("A4 policy_names", "A4 unknown_policy")
def test_names_of_policies() -> None:
    """SGLang's names of the orders that are here are accepted, and another is a ValueError that names those."""
    made = [type(schedule_policy(name)) for name in ("lpm", "dfs-weight", "fcfs", "lof", "random")]
    assert len(set(made)) == 5
    with pytest.raises(ValueError, match=r"name='newest', known=.*'lpm'"):
        schedule_policy("newest")


@shows("A4 match_refreshes")
def test_each_pass_looks_again() -> None:
    """What was stored since the last pass is found at the next: the prompt of 4 is known then, and comes first."""
    look_up, queue = CountingLookUps(), waiting((9, 9), (1, 2, 3, 4))
    assert (order("lpm", look_up, queue), look_up(queue[1]).prefix_len) == ([0, 1], 0)
    look_up.cache.insert(RadixKey([1, 2, 3, 4]))
    assert (order("lpm", look_up, queue), look_up(queue[1]).prefix_len) == ([1, 0], 4)
