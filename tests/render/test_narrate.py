from __future__ import annotations

from typing import get_args

import pytest

from radixviz.errors import UnknownLanguage
from radixviz.events import (
    Event,
    NodeAdded,
    NodeEvicted,
    NodeGrown,
    NodesLocked,
    NodeSplit,
    PagesFreed,
    PageShort,
    Phase,
    PrefillPaused,
    RequestMatched,
    SequenceRetracted,
    SequencesForked,
    TokenSampled,
    TokensComputed,
)
from radixviz.render.narrate import Sentence, Span, narrate, plain
from radixviz.timeline import Frame, Missing, NodeMark, SequenceView, StopInfo, Unmet
from tests.render.told_frames import frame, node, timeline, view

SPACE = (None, None, None, None)
GROWN = NodeGrown(1, (5,), (5,))
ADDED = NodeAdded(2, 1, (5,), (5,), SPACE)
GONE = (PageShort("A1", 1, "decode"), NodeEvicted(4, None, (7, 8), (7, 8)), PagesFreed("A1", (7, 8), "evicted"))
STOP = StopInfo(
    say={
        "en": "{freed|evicted} {freed:page|pages}: [c] goes, [SYS] stays.",
        "zh": "{freed|evicted} 页：[c] 走，[SYS] 留下。",
    },
    why={"en": "{free} are free.", "zh": "{free} 页空闲。"},
)
MISSING = Missing("A1", None, 3, 2, None, None, 1)
MARKS = {4: NodeMark("evicted", "A2", "c", ("b", "c")), 1: NodeMark("hit", "SYS + A1")}


def told(one: Frame, lang: str = "en", **told_with: object) -> tuple[str, str]:
    """Return the sentence and its reason as text."""
    sentence = narrate(timeline(one, **told_with), one, lang)  # type: ignore[arg-type]
    return plain(sentence.say), plain(sentence.why)


def one(prefix_len: int = 0, **more: object) -> SequenceView:
    """Return a request of four tokens with one token of its answer."""
    return view([1, 2, 3, 4, 5], 4, prefix_len=prefix_len, **more)  # type: ignore[arg-type]


def both(prefix_len: int = 0) -> list[SequenceView]:
    """Return two requests."""
    return [one(prefix_len), one(prefix_len, name="B1")]


def samples() -> list[SequenceView]:
    """Return two samples of one request, whose prompt was found whole."""
    return [one(4, cached=3, samples=2), one(4, cached=3, samples=2, sample=2)]


def matched(prefix_len: int, *, resumed: bool = False) -> RequestMatched:
    """Return the look-up of A1."""
    return RequestMatched("A1", prefix_len, prefix_len, (7,), resumed)


TOLD: list[tuple[str, Frame, tuple[str, str]]] = [
    (
        "nothing has happened",
        frame(),
        (
            "The tree is empty: only a root, 10 of 10 pages free.",
            "Whatever is in the tree, some request has put there.",
        ),
    ),
    (
        "nothing runs",
        frame(nodes=[node(1, None, [1])]),
        (
            "Nothing runs: 1 node in the tree, 10 of 10 pages free.",
            "What is in the tree stays until somebody needs its pages.",
        ),
    ),
    (
        "a miss",
        frame("match", views=[one()], events=[matched(0)]),
        (
            "Session A, turn 1: nothing matches, all 4 prompt tokens are left to compute.",
            "Only a prefix can be reused: the same tokens from the very first one on.",
        ),
    ),
    (
        "a hit",
        frame("match", views=[one(3)], events=[matched(3)]),
        (
            "Session A, turn 1: the first 3 of 4 tokens are in the tree, 1 left to compute.",
            "Each request looks for its longest prefix, token by token from the root.",
        ),
    ),
    (
        "a hit of whole pages",
        frame("match", views=[one(2)], events=[matched(2)], page_size=2),
        (
            "Session A, turn 1: the first 2 of 4 tokens are in the tree, 2 left to compute.",
            "Whole pages are reused, 2 tokens each: what is left over is computed.",
        ),
    ),
    (
        "a hit of the whole prompt",
        frame("match", views=samples()[:1], events=[matched(4)]),
        (
            "Session A, turn 1: the first 4 of 4 tokens are in the tree, 1 left to compute.",
            "The whole prompt is there, but logits are not cached: the end of it is computed for them.",
        ),
    ),
    (
        "a split",
        frame("match", views=[one(2)], events=[NodeSplit(3, 7, 2), matched(2)]),
        (
            "Session A, turn 1: 2 of 4 tokens match and end inside an edge, so it is cut there; 2 left to compute.",
            "A cut moves no page and recomputes nothing: two nodes share out the same slots.",
        ),
    ),
    (
        "a hit that ends at evicted text",
        frame("match", views=[view([1, 2, 3, 4], 4, prefix_len=1, pending=True)], missing=[MISSING]),
        (
            "Session A, turn 1: 1 of 4 tokens are in the tree; 2 more were, but have been evicted since.",
            "They must be computed again: eviction costs work, not the answer.",
        ),
    ),
    (
        "a batch",
        frame("match", views=both(3), events=[matched(3)]),
        (
            "2 requests: 6 of 8 prompt tokens are reused, 2 left to compute.",
            "Requests that arrive together find what is in the tree now, not what the others will add.",
        ),
    ),
    (
        "a batch that cuts an edge",
        frame("match", views=both(3), events=[matched(3), NodeSplit(3, 7, 3)]),
        (
            "2 requests: 6 of 8 prompt tokens are reused, 2 left to compute.",
            "An edge is cut where they part from it: no page moves, nothing is recomputed.",
        ),
    ),
    (
        "a return after a retraction",
        frame("match", views=[one()], events=[matched(3, resumed=True)]),
        (
            "Session A, turn 1: back from the queue to go on where it stopped.",
            "What it finds of its own work is no hit: it was counted when it first came.",
        ),
    ),
    (
        "a lock",
        frame("lock", views=[one(3)], events=[NodesLocked("A1", (7, 8))]),
        (
            "Session A, turn 1: 2 nodes are locked now, from the root to where the match ends.",
            "A locked node cannot be evicted before every request that holds it is done.",
        ),
    ),
    (
        "nothing to lock",
        frame("lock", views=[one()]),
        (
            "Session A, turn 1: nothing matched, so there is no node to lock.",
            "The node that this prompt adds is locked as soon as it is in the tree.",
        ),
    ),
    (
        "a prefill",
        frame("extend", views=[one(3)], events=[TokensComputed("A1", 3, 4)]),
        (
            "Session A, turn 1: 1 token computed, 3 reused.",
            "The prompt is in the tree now: others can reuse it before the answer is written.",
        ),
    ),
    (
        "a prefill of what was evicted",
        frame("extend", views=[one(1, again=2)], events=[TokensComputed("A1", 1, 4)]),
        (
            "Session A, turn 1: 3 tokens computed, 2 of them for the second time.",
            "They had been in the tree and were evicted: this is what that costs.",
        ),
    ),
    (
        "a prefill for samples",
        frame("extend", views=samples(), events=[TokensComputed("A1#1", 3, 4), SequencesForked("A1#1", ("A1#2",))]),
        (
            "Session A, turn 1: 1 token of the prompt computed, once for all 2 samples.",
            "K, V and logits of the prompt are the same for every sample: only the draw differs.",
        ),
    ),
    (
        "a chunk of a prefill",
        frame("extend", views=[one(0)], events=[TokensComputed("A1", 0, 2), PrefillPaused("A1", 2, 4)]),
        (
            "Session A, turn 1: 2 tokens computed in this step, the rest of the prompt in later ones.",
            "A step computes only so many tokens: nobody who is writing an answer waits for a long prompt.",
        ),
    ),
    (
        "the end of a prefill after an eviction",
        frame("extend", views=[one(3)]),
        (
            "Session A, turn 1: the prompt is ready, 3 tokens reused and 1 computed.",
            "The prompt is in the tree now: others can reuse it before the answer is written.",
        ),
    ),
    (
        "an eviction of a node without a name",
        frame("decode", views=[one()], events=GONE),
        (
            "Session A, turn 1: 1 page short, so a node of 2 tokens leaves the tree: 2 pages free again.",
            "Only whole leaves that nobody holds can go; the eviction policy chooses among them.",
        ),
    ),
    (
        "an eviction of a node with a name",
        frame("extend", views=both(), events=GONE, labels=MARKS),
        (
            "Session A, turn 1: 1 page short, so A2 leaves the tree: 2 pages free again.",
            "Only whole leaves that nobody holds can go; the eviction policy chooses among them.",
        ),
    ),
    (
        "a shortage",
        frame("decode", views=[one()], events=GONE[:1]),
        ("Session A, turn 1: 1 page short.", "Pages come back when a leaf is evicted or a request ends."),
    ),
    (
        "a retraction",
        frame("decode", views=both(), events=[SequenceRetracted("B1")]),
        (
            "Session B, turn 1: no page is left and no leaf can go, so it gives its pages back and waits again.",
            "It keeps its tokens; their K and V are computed again when it comes back.",
        ),
    ),
    (
        "a stretch of decoding",
        frame("decode", views=[one()], events=[TokenSampled("A1", 5)]),
        (
            "Session A, turn 1: 1 token of the answer so far, one with each pass.",
            "Each pass reads all earlier K and V and adds one token's; the newest token's come with the next pass.",
        ),
    ),
    (
        "a stretch of decoding by several",
        frame("decode", views=both(), events=[TokenSampled("A1", 5), TokenSampled("B1", 5)]),
        (
            "2 requests: 2 more tokens, one for each answer with every pass.",
            "What they share they read from the same pages; what they write goes to pages of their own.",
        ),
    ),
    (
        "an answer that lengthens its prompt's leaf",
        frame("cache", views=[one()], events=[GROWN]),
        (
            "Session A, turn 1: the answer joins the prompt's leaf, so both are one edge.",
            "All but the last sampled token, whose K and V were never needed.",
        ),
    ),
    (
        "an answer that is a leaf of its own",
        frame("cache", views=samples(), requests=["A1#2"], events=[ADDED]),
        (
            "Sample 2: the answer stays in the tree, as a new leaf.",
            "All but the last sampled token, whose K and V were never needed.",
        ),
    ),
    (
        "an answer of one of several requests with samples",
        frame("cache", views=[*samples(), one(name="B1")], requests=["A1#2"], events=[ADDED]),
        (
            "Session A, turn 1, sample 2: the answer stays in the tree, as a new leaf.",
            "All but the last sampled token, whose K and V were never needed.",
        ),
    ),
    (
        "an answer that was there",
        frame("cache", views=[one()], events=[PagesFreed("A1", (5, 6), "duplicate")]),
        (
            "Session A, turn 1: this answer is in the tree already, 2 pages go back.",
            "The first writer's pages stay: a second copy of the same K and V is of no use.",
        ),
    ),
    (
        "an answer that fills no page",
        frame("cache", views=[one()], events=[PagesFreed("A1", (5,), "tail")]),
        (
            "Session A, turn 1: nothing to add, all that fills a page is in the tree already.",
            "Only whole pages go into the tree.",
        ),
    ),
    (
        "the end of a request",
        frame(views=[one(3)]),
        (
            "Session A, turn 1: done. 3 prompt tokens reused, 1 computed, 1 token written.",
            "Its nodes are held no more: they stay in the tree, but may be evicted from now on.",
        ),
    ),
    (
        "the end of a request with samples",
        frame(views=samples()),
        (
            "Session A, turn 1: done. 3 prompt tokens reused, 1 computed, 2 answers written.",
            "The prompt was computed once; each answer that was new has become a branch.",
        ),
    ),
    (
        "the end of a batch",
        frame(views=both(3)),
        (
            "2 requests: done. 6 prompt tokens reused, 2 computed.",
            "Their nodes are held no more: they stay in the tree, but may be evicted from now on.",
        ),
    ),
]


@pytest.mark.parametrize(("shown", "sentence"), [row[1:] for row in TOLD], ids=[row[0] for row in TOLD])
def test_every_moment_has_its_sentence(shown: Frame, sentence: tuple[str, str]) -> None:
    """Without a word of the author, what happened in the frame is told with its own numbers."""
    assert told(shown) == sentence


@pytest.mark.parametrize("shown", [row[1] for row in TOLD], ids=[row[0] for row in TOLD])
def test_every_moment_has_its_chinese_sentence(shown: Frame) -> None:
    """The Chinese sentence holds the same numbers, in the same roles, as the English one."""
    english, chinese = (narrate(timeline(shown), shown, lang) for lang in ("en", "zh"))

    def numbers(sentence: Sentence) -> list[tuple[str, str | None]]:
        return sorted((span.text, span.role) for span in (*sentence.say, *sentence.why) if span.text.isdigit())

    assert numbers(chinese) == numbers(english)
    assert any("\u4e00" <= letter <= "\u9fff" for letter in plain(chinese.say))


def test_every_phase_can_be_told() -> None:
    """A frame of any phase has a sentence, whatever events it lacks."""
    phases: tuple[Phase, ...] = get_args(Phase)

    assert all(all(told(frame(phase, views=[one()]), lang)) for phase in phases for lang in ("en", "zh"))


def test_a_number_has_the_colour_of_what_it_counts() -> None:
    """Reused tokens are hit, computed ones new; other numbers are bold only."""
    shown = frame("match", views=[one(3)], events=[matched(3)])

    assert [span for span in narrate(timeline(shown), shown, "en").say if span.role] == [
        Span("3", "hit"),
        Span("4", "number"),
        Span("1", "new"),
    ]


def test_at_a_stop_the_author_speaks() -> None:
    """The author's sentence is filled with the frame's numbers, and its nodes have the looks of this frame."""
    shown = frame("decode", views=[one()], events=GONE, labels=MARKS, stop=0)

    assert narrate(timeline(shown, stops=[STOP]), shown, "zh") == Sentence(
        say=(
            Span("2", "evicted"),
            Span(" 页："),
            Span("c", "evicted"),
            Span(" 走，"),
            Span("SYS", "hit"),
            Span(" 留下。"),
        ),
        why=(Span("10", "number"), Span(" 页空闲。")),
    )


def test_an_earlier_letter_is_found_after_the_present_ones() -> None:
    """A letter that one node has now and another had before means the node that has it now."""
    stop = StopInfo(say={"en": "[b], [c], [x]"}, why={"en": "[A1]"})
    marks = {4: NodeMark("evicted", "A2", "c", ("b", "c")), 5: NodeMark("new", "B1", "b", ("b",)), 1: MARKS[1]}
    shown = frame("cache", views=[one()], labels=marks, stop=0)
    sentence = narrate(timeline(shown, stops=[stop]), shown, "en")

    assert [(span.text, span.role) for span in (*sentence.say, *sentence.why) if span.role] == [
        ("b", "new"),
        ("c", "evicted"),
        ("x", "cached"),
        ("A1", "hit"),
    ]


@pytest.mark.parametrize(
    ("events", "unmet"),
    [((), ()), (GONE, (Unmet(1, "evicted", "", "d", "c"),))],
    ids=["nothing was evicted", "something else was evicted"],
)
def test_the_author_is_silent_where_the_run_differs(events: tuple[Event, ...], unmet: tuple[Unmet, ...]) -> None:
    """What did not happen as the author tells is told as it happened."""
    shown = frame("decode", views=[one()], events=events, labels=MARKS, stop=0)

    assert told(shown, stops=[STOP], unmet=unmet)[0].startswith("Session A, turn 1: 1 ")


def test_an_unmet_expectation_of_another_stage_changes_nothing() -> None:
    """The author is still right about this stage."""
    shown = frame("decode", views=[one()], events=GONE, labels=MARKS, stop=0)

    assert told(shown, stops=[STOP], unmet=[Unmet(2, "split", "", "yes", "no")])[0] == "2 pages: c goes, SYS stays."


def test_a_request_that_the_script_does_not_know_is_called_by_its_id() -> None:
    """A frame can be told without its scenario."""
    assert told(frame(views=[one(name="X9")]))[0].startswith("X9: done.")


def test_an_unknown_language_is_refused() -> None:
    """There is no sentence in a language without a word list."""
    with pytest.raises(UnknownLanguage):
        told(frame(), "fr")
