from __future__ import annotations

from dataclasses import replace

from radixviz.events import (
    Event,
    NodeEvicted,
    NodesLocked,
    NodeSplit,
    PagesFreed,
    PageShort,
    RequestMatched,
    TokenSampled,
    TokensComputed,
)
from radixviz.render.values import frame_values
from radixviz.timeline import PLACEHOLDERS, Missing
from tests.render.told_frames import frame, node, timeline, view

NONE = dict.fromkeys(PLACEHOLDERS, 0)


def test_an_empty_stage_has_a_pool_and_nothing_else() -> None:
    """Without a request every number but those of the pool is 0, and none of the closed set is left out."""
    told = frame()

    assert frame_values(timeline(told), told) == NONE | {"pool_pages": 10, "page_size": 1, "free": 10}


def test_a_match_is_counted() -> None:
    """Four tokens match, two of them written by the model before; three are left to compute."""
    before = frame(views=[view([1, 2, 3, 4, 5], 2)], stage=2)
    asked = view([1, 2, 3, 4, 9, 9, 9], 7, prefix_len=4, pending=True, name="B1")
    told = frame("match", views=[asked], stage=3, index=1)

    assert frame_values(timeline(before, told), told) == NONE | {
        "pool_pages": 10,
        "page_size": 1,
        "free": 10,
        "prompt": 7,
        "prefix": 4,
        "cached": 4,
        "computed": 3,
        "written": 2,
        "samples": 1,
        "sample": 1,
        "requests": 1,
        "batch_prompt": 7,
        "batch_cached": 4,
        "batch_computed": 3,
    }


def test_written_tokens_of_several_turns_count_once() -> None:
    """A later turn holds the answers of all earlier ones, and its own history is counted once."""
    first = frame(views=[view([1, 2, 3], 2)], stage=2)
    second = frame(views=[view([1, 2, 3, 4, 5, 6], 4, prefix_len=3, name="A2")], stage=3, index=1)
    told = frame(views=[view([1, 2, 3, 4, 5, 6, 7, 8], 7, prefix_len=6, name="A3")], stage=4, index=2)

    assert frame_values(timeline(first, second, told), told)["written"] == 3


def test_answers_of_the_same_stage_are_not_history() -> None:
    """What a request writes itself is not what it found."""
    told = frame(views=[view([1, 2, 3, 4], 2, prefix_len=2)])

    assert frame_values(timeline(told), told)["written"] == 0


def test_the_place_of_a_split_is_the_first_token_that_differs() -> None:
    """Pages of two tokens: the cut is after token 2, but token 4 is the first that differs."""
    nodes = [node(7, None, [1, 2]), node(3, 7, [3, 4])]
    events: list[Event] = [NodeSplit(3, 7, 2), RequestMatched("A1", 2, 2, (7,))]
    told = frame("match", views=[view([1, 2, 3, 9], 4, prefix_len=2)], nodes=nodes, events=events, page_size=2)

    assert frame_values(timeline(told), told)["split_at"] == 4


def test_a_match_without_a_split_has_no_place_of_one() -> None:
    """Where no edge was cut, there is nothing to number."""
    events = [RequestMatched("A1", 2, 2, (7,))]
    told = frame("match", views=[view([1, 2, 9], 3, prefix_len=2)], nodes=[node(7, None, [1, 2])], events=events)

    assert frame_values(timeline(told), told)["split_at"] == 0


def test_before_the_prefill_the_missing_edge_tells_what_is_computed_again() -> None:
    """The evicted edge has five tokens, but only three are still asked for."""
    missing = Missing("A1", None, 3, 5, "A2", "c", 5)
    told = frame("match", views=[view([1, 2, 3, 4], 4, prefix_len=1, pending=True)], missing=[missing])

    assert frame_values(timeline(told), told)["again"] == 3


def test_after_the_prefill_the_spans_tell_what_was_computed_again() -> None:
    """Two of the computed tokens had been computed before."""
    told = frame("extend", views=[view([1, 2, 3, 4], 4, prefix_len=1, again=2)])

    assert frame_values(timeline(told), told)["again"] == 2


def test_an_eviction_is_counted_in_pages_and_tokens() -> None:
    """Of two leaves evicted in this stage one goes in this frame, because of the second sequence."""
    gone = node(4, None, [21, 22, 23])
    evicted = NodeEvicted(4, None, gone.token_ids, gone.slots)
    events: list[Event] = [PageShort("B1", 2, "decode"), evicted, PagesFreed("B1", (21, 22, 23), "evicted")]
    views = [view([1, 2], 1), view([5, 6, 7, 8], 1, name="B1")]
    told = frame("decode", views=views, requests=["B1"], events=events, ghosts=[node(3, None, [31]), gone])
    values = frame_values(timeline(told), told)

    counted = ("short", "freed", "freed_tokens", "evicted_tokens", "answer_token", "generated", "duplicate_pages")
    assert [values[name] for name in counted] == [2, 3, 3, 4, 3, 3, 0]


def test_events_of_a_frame_are_summed() -> None:
    """Nodes locked by two requests count once; computed and sampled tokens add up."""
    events: list[Event] = [
        NodesLocked("A1", (1, 2)),
        NodesLocked("B1", (1, 3)),
        TokensComputed("A1", 2, 5),
        TokensComputed("B1", 1, 2),
        TokenSampled("A1", 9),
        TokenSampled("B1", 9),
        PagesFreed("A1", (4, 5), "duplicate"),
        PagesFreed("A1", (6,), "tail"),
    ]
    told = frame("extend", views=[view([1, 2], 1), view([3, 4], 1, name="B1")], events=events)
    values = frame_values(timeline(told), told)

    assert [values[name] for name in ("held", "extended", "sampled", "duplicate_pages", "freed")] == [3, 4, 2, 2, 0]


def test_samples_share_their_prompt_in_the_sums() -> None:
    """Two requests, one of them with two samples: three sequences, but two prompts."""
    views = [
        view([1, 2, 3], 3, prefix_len=2, samples=2),
        view([1, 2, 3], 3, prefix_len=2, sample=2, samples=2),
        view([4, 5], 2, name="B1"),
    ]
    told = frame("match", views=views)
    values = frame_values(timeline(told), told)

    names = ("requests", "batch_prompt", "batch_cached", "batch_computed", "samples", "sample")
    assert [values[name] for name in names] == [2, 5, 2, 3, 2, 1]


def test_a_frame_is_about_the_sequences_that_it_names() -> None:
    """Other sequences of the stage are not counted."""
    views = [view([1, 2, 3], 3), view([4, 5], 2, name="B1")]
    told = replace(frame("cache", views=views), requests=("B1",))
    values = frame_values(timeline(told), told)

    assert (values["prompt"], values["requests"], values["batch_prompt"]) == (2, 1, 2)
