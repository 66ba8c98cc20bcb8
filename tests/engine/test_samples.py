"""Requests for several samples: one prefill, then sequences of their own."""

from __future__ import annotations

import pytest

from radixviz.engine.request import Draw, Request
from radixviz.events import (
    Event,
    Namespace,
    NodeAdded,
    NodesLocked,
    PagesAllocated,
    PhaseClosed,
    RequestArrived,
    RequestMatched,
    SequenceCached,
    SequenceRetracted,
    SequencesForked,
    TokenSampled,
    TokensComputed,
)
from tests.engine.serving import Serving

NOWHERE: Namespace = (None, None, None, None)


def by_sample(sequence_id: str, number: int) -> int:
    """Reply 910, 911, ... in sample 1, 920, 921, ... in sample 2, and so on."""
    return 900 + 10 * int(sequence_id.partition("#")[2] or 0) + number


def test_everything_that_a_prefill_for_two_does() -> None:
    """The prompt is matched, computed and stored once; the other sample holds its whole pages and copies the tail."""
    serving = Serving(8, 4, reply=by_sample)
    serving.submit("r", [1, 2, 3, 4, 5, 6], 3, samples=2)
    serving.step()
    expected: list[Event] = [
        RequestArrived("r", ("r#1", "r#2"), (1, 2, 3, 4, 5, 6), NOWHERE),
        RequestMatched("r#1", 0, 0, ()),
        PhaseClosed("match", ("r#1",)),
        NodesLocked("r#1", ()),
        PhaseClosed("lock", ("r#1",)),
        PagesAllocated("r#1", (1, 2)),
        TokensComputed("r#1", 0, 6),
        NodeAdded(1, None, (1, 2, 3, 4), (4, 5, 6, 7), NOWHERE),
        NodesLocked("r#1", (1,)),
        SequenceCached("r#1", 1, 4, 0, False),
        NodesLocked("r#2", (1,)),
        SequencesForked("r#1", ("r#2",)),
        TokenSampled("r#1", 910),
        TokenSampled("r#2", 920),
        PagesAllocated("r#2", (3,)),
        PhaseClosed("extend", ("r#1",)),
    ]
    assert serving.events == expected
    assert [serving[name].slots for name in ("r#1", "r#2")] == [[*range(4, 12)], [*range(4, 8), *range(12, 16)]]
    assert [serving[name].computed_len for name in ("r#1", "r#2")] == [6, 6]
    assert (serving.tree("lock_ref"), serving.pages()) == ("1..4(2)", "lrrfffff")


@pytest.mark.parametrize(
    ("page_size", "tree"),
    [
        (1, "1..6 {910 911, 920 921, 930 931}"),
        (4, "1..4 {5 6 910 911, 5 6 920 921, 5 6 930 931}"),
    ],
)
def test_samples_branch(page_size: int, tree: str) -> None:
    """Each sample ends in a branch of its own; at page size 4 each has its copy of the prompt's tail."""
    serving = Serving(64, page_size, reply=by_sample)
    serving.run("r", range(1, 7), 3, samples=3)
    assert serving.tree() == tree
    assert [serving[f"r#{n}"].output_ids for n in (1, 2, 3)] == [(910, 911, 912), (920, 921, 922), (930, 931, 932)]


@pytest.mark.parametrize(("page_size", "prefix_len", "cached"), [(1, 6, 5), (4, 4, 4)])
def test_each_sample_reports_what_the_prompt_reused(page_size: int, prefix_len: int, cached: int) -> None:
    """Every sample reports the match of the one look-up."""
    serving = Serving(64, page_size, reply=by_sample)
    serving.run("first", range(1, 7), 1)
    serving.run("r", range(1, 7), 2, samples=3)
    found = [(serving[f"r#{n}"].prefix_len, serving[f"r#{n}"].cached_tokens) for n in (1, 2, 3)]
    assert found == [(prefix_len, cached)] * 3
    assert [event.sequence_id for event in serving.told(RequestMatched)] == ["first", "r#1"]


def test_samples_that_say_the_same() -> None:
    """A sample that repeats another shares its node and frees its own pages; the prompt counts one hit."""
    serving = Serving()
    serving.run("r", [1, 2], 3, samples=2)
    assert (serving.tree("hit_count"), serving.freed()) == ("1 2(1) {900 901(2)}", [("r#2", 2, "duplicate")])


@pytest.mark.parametrize(("disabled", "pages"), [(False, "cf"), (True, "ff")])
def test_one_token_each(disabled: bool, pages: str) -> None:
    """Samples that end with their first token need no copy of the prompt's tail."""
    serving = Serving(2, 4, reply=by_sample, disabled=disabled)
    serving.run("r", range(1, 7), 1, samples=3)
    assert serving.pages() == pages
    assert [serving[f"r#{n}"].output_ids for n in (1, 2, 3)] == [(910,), (920,), (930,)]


@pytest.mark.parametrize("disabled", [False, True])
def test_samples_take_turns_in_a_pool_that_cannot_hold_them(disabled: bool) -> None:
    """Samples that find no page for the prompt's tail wait for those that did, and miss no token."""
    serving = Serving(3, 4, reply=by_sample, disabled=disabled)
    serving.run("r", range(1, 7), 4, samples=4)
    outputs = [serving[f"r#{n}"].output_ids for n in (1, 2, 3, 4)]
    assert outputs == [tuple(range(900 + 10 * n, 904 + 10 * n)) for n in (1, 2, 3, 4)]


def test_copies_of_the_tail_are_room_too() -> None:
    """Beside a running sequence a group waits until there is room for a copy of the tail for each sample."""
    serving = Serving(6, 4, reply=by_sample)
    serving.submit("running", range(50, 54), 6)
    serving.step()
    serving.submit("group", range(1, 7), 2, samples=5)  # two pages and four copies; five are free
    serving.step()
    assert serving.engine.waiting == ("group#1",)
    serving.run_until_idle()
    assert (serving.told(SequenceRetracted), serving["group#5"].output_ids) == ([], (950, 951))


def test_draws_are_spread_evenly() -> None:
    """The samples draw from the middles of equal parts of [0, 1)."""
    serving = Serving()
    serving.run("r", [1, 2], 1, samples=4)
    assert [serving[f"r#{n}"].draw for n in (1, 2, 3, 4)] == [Draw(0.0, u) for u in (0.125, 0.375, 0.625, 0.875)]


def test_samples_may_have_limits_of_their_own() -> None:
    """The first ends early, a limit above the request's is none, and a sample without one has the request's."""
    serving = Serving(reply=by_sample)
    serving.engine.submit(Request("r", (1, 2), 4, samples=3, sample_limits=(2, 9)))
    serving.run_until_idle()
    assert [serving[f"r#{n}"].output_ids for n in (1, 2, 3)] == [
        (910, 911),
        (920, 921, 922, 923),
        (930, 931, 932, 933),
    ]
