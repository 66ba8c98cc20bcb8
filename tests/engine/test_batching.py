"""Batching: a budget of tokens for each step, prompts in chunks, and twins that wait for each other."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from radixviz.engine.batching import Batching, StepBudget
from radixviz.engine.metrics import MetricsFold
from radixviz.engine.runner import DecodeRow, ExtendRow, Sampled
from radixviz.errors import BadTokenCount
from radixviz.events import (
    Event,
    PhaseClosed,
    PrefillPaused,
    RequestMatched,
    SequenceRetracted,
    TokenSampled,
    TokensComputed,
)
from tests.engine.kv_watch import KVWatch
from tests.engine.serving import Serving

BOTH_WAYS = pytest.mark.parametrize("turn_as_one_edge", [True, False])


class CountingRunner(KVWatch):
    """Counts the tokens of each forward pass."""

    def extend(self, rows: Sequence[ExtendRow]) -> list[tuple[Sampled, ...]]:
        """Count, and go on."""
        self.counts.append(sum(len(row.token_ids) for row in rows))
        return super().extend(rows)

    def decode(self, rows: Sequence[DecodeRow]) -> list[Sampled]:
        """Count, and go on."""
        self.counts.append(len(rows))
        return super().decode(rows)

    counts: list[int]


def tokens_each_step(serving: Serving) -> list[int]:
    """Run to the end; return how many tokens each step computed."""
    serving.runner.__class__ = CountingRunner
    runner, steps = serving.runner, []
    assert isinstance(runner, CountingRunner)
    while serving.engine.has_work:
        runner.counts = []
        serving.step()
        steps.append(sum(runner.counts))
    return steps


def chunks(events: list[Event]) -> list[tuple[str, int, int]]:
    """Return what each prefill computed, in order."""
    computed = (event for event in events if isinstance(event, TokensComputed))
    return [(event.sequence_id, event.start, event.end) for event in computed]


def totals(serving: Serving) -> MetricsFold:
    """Return the fold over all that was told."""
    fold = MetricsFold()
    for event in serving.events:
        fold.note(event)
    return fold


@pytest.mark.parametrize(
    ("limits", "page_size", "asked", "reached", "is_spent"),
    [
        (Batching(), 1, [(0, 9), (3, 7)], [9, 7], False),
        (Batching(prefill_chunk=4), 1, [(0, 9), (3, 7), (8, 9)], [4, 7, 9], False),
        (Batching(tokens_per_step=10), 1, [(0, 7), (0, 7), (0, 7)], [7, 3, 0], True),
        (Batching(tokens_per_step=10, prefill_chunk=4), 1, [(0, 7), (4, 7), (0, 7)], [4, 7, 3], True),
        (Batching(tokens_per_step=10), 4, [(0, 7), (0, 9)], [7, 3], True),  # less than a page: not aligned
        (Batching(tokens_per_step=10), 4, [(0, 12)], [8], False),
        (Batching(tokens_per_step=10), 4, [(6, 20)], [16], True),
        (Batching(prefill_chunk=3), 4, [(0, 9), (3, 9), (4, 9)], [3, 4, 7], False),
    ],
)
def test_what_a_step_may_compute(
    limits: Batching, page_size: int, asked: list[tuple[int, int]], reached: list[int], is_spent: bool
) -> None:
    """Each prompt gets what its chunk and the step's rest allow, to a page's end where that is not nothing."""
    budget = StepBudget(limits, page_size)
    assert [budget.cut(start, end) for start, end in asked] == reached
    assert budget.is_spent == is_spent


def test_decoding_comes_first() -> None:
    """What decodes takes its tokens of the step before any prompt."""
    assert StepBudget(Batching(tokens_per_step=10), 1, decoding=7).cut(0, 9) == 3
    assert StepBudget(Batching(tokens_per_step=10), 1, decoding=12).is_spent


@pytest.mark.parametrize("name", ["max_running", "tokens_per_step", "prefill_chunk", "twin_tokens"])
@pytest.mark.parametrize("value", [0, -1])
def test_a_limit_below_one_is_refused(name: str, value: int) -> None:
    """No batch can be made with it: the limit is named."""
    with pytest.raises(BadTokenCount) as raised:
        Batching(**{name: value})
    assert raised.value.facts() == {"name": name, "value": value}


@pytest.mark.parametrize(
    ("page_size", "turn_as_one_edge", "parts", "trees"),
    [
        (1, True, [(0, 4), (4, 8), (8, 10)], ["0..3", "0..7", "0..9", "0..9 900 901"]),
        (1, False, [(0, 4), (4, 8), (8, 10)], ["0..3", "0..3 {4..7}", "0..3 {4..7 {8 9}}"]),
        (2, True, [(0, 4), (4, 8), (8, 10)], ["0..3", "0..7", "0..9", "0..9 900 901"]),
        (8, True, [(0, 4), (4, 8), (8, 10)], ["", "0..7", "0..7"]),
    ],
)
def test_a_prompt_in_chunks(
    page_size: int, turn_as_one_edge: bool, parts: list[tuple[int, int]], trees: list[str]
) -> None:
    """Each step computes one chunk and puts it into the tree; the first token comes with the last one."""
    batching = Batching(prefill_chunk=4)
    serving = Serving(64 // page_size, page_size, turn_as_one_edge=turn_as_one_edge, batching=batching)
    serving.submit("r", range(10), 3)
    for tree in trees[:3]:
        assert serving["r"].output_ids == ()
        serving.step()
        assert serving.tree() == tree
    assert serving["r"].output_ids == (900,)
    assert chunks(serving.events) == [("r", start, end) for start, end in parts]
    paused = [event for event in serving.events if isinstance(event, PrefillPaused)]
    assert paused == [PrefillPaused("r", 4, 10), PrefillPaused("r", 8, 10)]
    serving.run_until_idle()
    assert list(serving["r"].output_ids) == [900, 901, 902]
    assert [serving.tree()] == (trees[3:] or ["0..3 {4..7 {8 9 {900 901}}}" if page_size == 1 else "0..7"])
    assert (serving["r"].cached_tokens, totals(serving).totals.computed_tokens) == (0, 10)


def test_without_a_budget_decoding_waits_for_chunks() -> None:
    """Prefill comes first, also when it is cut: a running sequence gets no token until the prompt is done."""
    serving = Serving(batching=Batching(prefill_chunk=4))
    serving.submit("running", [50], 9)
    serving.step(2)
    serving.submit("long", range(10), 2)
    serving.step(3)
    assert len(serving["running"].output_ids) == 2
    assert serving["long"].output_ids == (900,)


@BOTH_WAYS
@pytest.mark.parametrize("page_size", [1, 4])
def test_with_a_budget_decoding_goes_on(page_size: int, turn_as_one_edge: bool) -> None:
    """A long prompt takes what decoding leaves of each step, so that those that run get a token at every step."""
    batching = Batching(tokens_per_step=6)
    serving = Serving(64 // page_size, page_size, turn_as_one_edge=turn_as_one_edge, batching=batching)
    serving.submit("a", [50], 9)
    serving.submit("b", [60], 9)
    serving.step(2)
    serving.events.clear()
    serving.submit("long", range(10), 2)
    serving.step(3)
    assert [len(serving[name].output_ids) for name in ("a", "b", "long")] == [5, 5, 1]
    assert chunks(serving.events) == [("long", 0, 4), ("long", 4, 8), ("long", 8, 10)]
    assert [event.phase for event in serving.events if isinstance(event, PhaseClosed)] == [
        *("decode", "match", "lock", "extend"),
        *("decode", "extend"),
        *("decode", "extend"),
    ]


@pytest.mark.parametrize("tokens_per_step", [1, 2, 5, 16])
def test_no_step_computes_more_than_its_budget(tokens_per_step: int) -> None:
    """Whatever comes and however little may run, each step keeps to the limit, and every reply is whole."""
    serving = Serving(40, batching=Batching(tokens_per_step=tokens_per_step))
    for number in range(7):
        serving.submit(str(number), (0, number % 2, *range(number, 9)), 4)
    steps = tokens_each_step(serving)
    assert 0 < max(steps) <= tokens_per_step
    assert all(len(serving[str(number)].output_ids) == 4 for number in range(7))


def test_a_return_in_the_middle_of_a_prompt() -> None:
    """A prompt that is sent back half computed reuses its own chunks when it returns, and they are no hit."""
    serving = Serving(16, turn_as_one_edge=False, batching=Batching(tokens_per_step=4))
    serving.submit("old", [50], 11)
    serving.step()
    serving.submit("young", range(12), 1)
    serving.run_until_idle()
    fold = totals(serving)
    assert [event.sequence_id for event in serving.events if isinstance(event, SequenceRetracted)] == ["young"]
    matches = [event for event in serving.events if isinstance(event, RequestMatched)]
    assert [(match.sequence_id, match.resumed, match.cached_tokens) for match in matches] == [
        ("old", False, 0),
        ("young", False, 0),
        ("young", True, 3),
    ]
    assert (serving["young"].cached_tokens, fold.cached) == (0, {"old": 0, "young": 0})
    assert (fold.totals.hit_rate, fold.totals.prompt_tokens, fold.totals.computed_tokens) == (0.0, 13, 13)
    assert fold.totals.misses.total == 13


def test_what_is_promised_to_a_prompt_is_no_room_for_another() -> None:
    """The pages that a prompt in chunks will still take are not given to one that comes behind it."""
    serving = Serving(16, batching=Batching(prefill_chunk=4))
    serving.submit("first", range(12), 1)
    serving.step()
    serving.submit("second", range(50, 58), 1)
    serving.step()
    assert (serving.engine.running, serving.engine.waiting) == (("first",), ("second",))
    serving.run_until_idle()
    assert not [event for event in serving.events if isinstance(event, SequenceRetracted)]


def test_as_many_run_as_the_budget_can_decode() -> None:
    """Each running sequence needs a token of the step, so no more run than it has."""
    serving = Serving(batching=Batching(tokens_per_step=2))
    for number in range(3):
        serving.submit(str(number), [number], 5)
    serving.step(3)
    assert (serving.engine.running, serving.engine.waiting) == (("0", "1"), ("2",))


@pytest.mark.parametrize("page_size", [1, 4])
def test_cancelled_in_the_middle_of_a_prompt(page_size: int) -> None:
    """Its own pages are free, its chunks stay in the tree for the next one."""
    serving = Serving(32 // page_size, page_size, batching=Batching(prefill_chunk=6))
    serving.submit("a", range(14), 5, samples=2)
    serving.step(2)
    assert serving.engine.cancel("a")
    serving.engine.check_integrity()
    assert serving.cache.protected_size == 0
    stored = 12 // page_size * page_size if page_size == 1 else 8
    assert serving.run("b", range(14), 1).cached_tokens == stored


@BOTH_WAYS
@pytest.mark.parametrize(
    ("twin_tokens", "computed"),
    [(None, 3 * 12), (8, 10 + 3 * 2), (10, 10 + 3 * 2), (11, 3 * 12)],
)
def test_twins_wait_for_the_first(twin_tokens: int | None, computed: int, turn_as_one_edge: bool) -> None:
    """Three prompts with ten tokens in common compute them once when that is enough to wait for, else three times."""
    serving = Serving(turn_as_one_edge=turn_as_one_edge, batching=Batching(twin_tokens=twin_tokens))
    for number in range(3):
        serving.submit(str(number), (*range(10), 50 + number, 9), 2)
    serving.submit("other", range(70, 75), 2)
    serving.step()
    first = ("0", "other") if computed < 36 else ("0", "1", "2", "other")
    assert serving.engine.running == first
    serving.run_until_idle()
    assert totals(serving).totals.computed_tokens == computed + 5


def test_twins_wait_while_a_prompt_is_in_chunks() -> None:
    """One that comes in the middle of its twin's prefill waits until less is left of it than it would wait for."""
    serving = Serving(batching=Batching(prefill_chunk=4, twin_tokens=3))
    serving.submit("first", range(10), 1)
    serving.step()
    serving.submit("twin", range(10), 1)
    serving.step()
    assert serving.engine.waiting == ("twin",)
    serving.run_until_idle()
    assert serving["twin"].cached_tokens == 8


def test_twins_of_other_namespaces_do_not_wait() -> None:
    """Nothing can be shared, so there is nothing to wait for."""
    serving = Serving(batching=Batching(twin_tokens=1))
    serving.submit("a", range(10), 2)
    serving.submit("b", range(10), 2, namespace=(None, None, None, "b"))
    serving.step()
    assert serving.engine.running == ("a", "b")


def test_samples_branch_off_after_the_last_chunk() -> None:
    """A prompt for three samples is cut as any other; each sample then has its own reply."""
    serving = Serving(32, 4, batching=Batching(tokens_per_step=5))
    serving.submit("g", range(10), 3, samples=3)
    serving.run_until_idle()
    assert chunks(serving.events) == [("g#1", 0, 4), ("g#1", 4, 8), ("g#1", 8, 10)]
    sampled = [event.sequence_id for event in serving.events if isinstance(event, TokenSampled)]
    assert sorted(sampled) == ["g#1"] * 3 + ["g#2"] * 3 + ["g#3"] * 3
