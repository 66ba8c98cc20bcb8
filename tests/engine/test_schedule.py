"""Schedule policies in a running engine: fairness, seeds and names."""

from __future__ import annotations

from random import Random

import pytest

from radixviz.engine.batching import Batching
from radixviz.engine.schedule import SCHEDULE_POLICIES, SchedulePolicy, schedule_policy
from radixviz.errors import BadTokenCount, UnknownPolicy
from radixviz.events import RequestMatched
from radixviz.render.explain import explain
from tests.engine.serving import Serving

HOT = tuple(range(1, 9))


def cold_turn(policy: SchedulePolicy, passes: int) -> int | None:
    """Return when a cold request is taken while one that matches 8 tokens arrives at every pass, one taken a pass."""
    serving = Serving(batching=Batching(1), schedule=policy)
    serving.run("warm", HOT, 1)
    serving.submit("cold", (50,), 1)
    for number in range(passes):
        serving.submit(f"hot {number}", (*HOT, 100 + number), 1)
        serving.step()
        if serving["cold"].finish_reason:
            return number
    return None


@pytest.mark.parametrize(("name", "turn"), [("fcfs", 0), ("lof", 0), ("lpm", None), ("lpm-aging", 4)])
def test_a_cold_request_among_hot_ones(name: str, turn: int | None) -> None:
    """Longest prefix first starves it; with 2 tokens a pass it is as good as 8 matched ones after 4 passes."""
    assert cold_turn(schedule_policy(name), 40) == turn


def test_a_shuffle_follows_its_seed() -> None:
    """The same seed gives the same order of service, another seed another one, and nobody is lost."""

    def served(seed: int) -> list[str]:
        serving = Serving(batching=Batching(1), schedule=schedule_policy("random", random=Random(seed)))
        for number in range(8):
            serving.submit(str(number), (number,), 1)
        serving.run_until_idle()
        return [event.sequence_id for event in serving.told(RequestMatched)]

    assert served(1) == served(1) != served(2)
    assert sorted(served(1)) == [str(number) for number in range(8)]


@pytest.mark.parametrize("name", SCHEDULE_POLICIES)
def test_every_policy_serves_all_in_a_small_pool(name: str) -> None:
    """With pages so short that some are sent back, every request ends and every law holds at each step."""
    serving = Serving(16, schedule=schedule_policy(name))
    for number in range(6):
        serving.submit(str(number), (number % 2, number % 3, number), 6)
    serving.run_until_idle()
    assert all(len(serving[str(number)].output_ids) == 6 for number in range(6))


def test_waiting_makes_nobody_later() -> None:
    """Aging by a negative number would let those starve that wait longest."""
    with pytest.raises(BadTokenCount) as caught:
        schedule_policy("lpm-aging", tokens_per_pass=-1)
    assert caught.value.facts() == {"name": "tokens_per_pass", "value": -1}


def test_an_unknown_policy_is_named() -> None:
    """The name that nobody knows and all known ones are in one sentence, in both languages."""
    with pytest.raises(UnknownPolicy) as caught:
        schedule_policy("hrrn")
    assert caught.value.facts() == {"name": "hrrn", "known": SCHEDULE_POLICIES}
    assert explain(caught.value, "en") == (
        "No policy is called “hrrn”. There are: fcfs, lpm, dfs-weight, lof, random, lpm-aging."
    )
    in_chinese = explain(caught.value, "zh")
    assert [name for name in ("hrrn", *SCHEDULE_POLICIES) if name not in in_chinese] == []
