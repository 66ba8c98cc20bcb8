"""Recorder: which moments become frames, and how nodes and tokens look in them."""

from __future__ import annotations

from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.batching import Batching
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request
from radixviz.engine.runner import SimulatedRunner
from radixviz.recorder import Recorder
from radixviz.timeline import Frame, TokenSpan

REPLY = 100


class Stage:
    """An engine under a recorder, driven stage by stage."""

    def __init__(self, pool_pages: int, page_size: int = 1, batching: Batching | None = None) -> None:
        self.recorder = Recorder()
        cache = RadixCache(page_size, emit=self.recorder.emit)
        runner = SimulatedRunner(lambda sequence_id, number: REPLY + number)
        pool, emit = PagePool(pool_pages, page_size), self.recorder.emit
        self.engine = Engine(cache, pool, runner, batching=batching, emit=emit)
        self.recorder.watch(self.engine)

    def play(self, number: int, *requests: Request) -> list[Frame]:
        """Run the requests together and return the frames of this stage."""
        first = len(self.recorder.frames)
        self.recorder.begin_stage(number)
        for request in requests:
            self.engine.submit(request)
        self.engine.run()
        self.recorder.end_stage()
        return self.recorder.frames[first:]


def _looks(frame: Frame) -> dict[tuple[int, ...], str]:
    nodes = [*frame.tree.nodes, *(ghost.node for ghost in frame.ghosts)]
    return {node.token_ids: frame.labels[node.node_id].look for node in nodes}


def test_a_request_is_one_frame_a_phase() -> None:
    """Each phase of a request closes a frame, and the stage ends with one of its result."""
    frames = Stage(16).play(2, Request("a", (1, 2, 3), 3))

    assert [frame.phase for frame in frames] == ["match", "lock", "extend", "decode", "cache", "done"]
    assert [frame.stage_frame for frame in frames] == [1, 2, 3, 4, 5, 6]
    assert {frame.stage for frame in frames} == {2}


def test_a_batch_goes_phase_by_phase_together() -> None:
    """Two requests of one batch share the frames, and each is kept in a frame of its own."""
    frames = Stage(16).play(1, Request("a", (1, 2), 2), Request("b", (3, 4), 2))

    assert [(frame.phase, frame.requests) for frame in frames] == [
        ("match", ("a", "b")),
        ("lock", ("a", "b")),
        ("extend", ("a", "b")),
        ("decode", ("a", "b")),
        ("cache", ("a",)),
        ("cache", ("b",)),
        ("done", ("a", "b")),
    ]


def test_a_prompt_in_chunks_is_a_frame_a_chunk() -> None:
    """Each frame shows what is computed so far and what is not; a page that is not full yet is the sequence's own."""
    frames = Stage(8, 2, Batching(prefill_chunk=3)).play(1, Request("a", (1, 2, 3, 4, 5, 6, 7), 2))

    assert [(frame.phase, frame.sequences[0].spans) for frame in frames[1:6]] == [
        ("lock", (TokenSpan("pending", 7),)),
        ("extend", (TokenSpan("computed", 2), TokenSpan("pending", 5))),
        ("extend", (TokenSpan("computed", 4), TokenSpan("pending", 3))),
        ("extend", (TokenSpan("computed", 7), TokenSpan("generated", 1))),
        ("decode", (TokenSpan("computed", 7), TokenSpan("generated", 2))),
    ]
    assert [frame.sequences[0].tail_len for frame in frames[1:6]] == [0, 0, 0, 1, 2]


def test_each_eviction_is_a_frame_at_the_place_where_a_page_was_short() -> None:
    """Evictions in extend come before its frame; one in decode ends the stretch of tokens before it."""
    stage = Stage(8)
    stage.play(1, Request("a", (1, 2, 3), 1))
    stage.play(2, Request("b", (4, 5), 1))
    frames = stage.play(3, Request("c", (6, 7, 8, 9), 4))

    assert [(frame.phase, _looks(frame)) for frame in frames[2:6]] == [
        ("extend", {(4, 5): "cached", (1, 2, 3): "evicted"}),
        ("extend", {(4, 5): "cached", (1, 2, 3): "evicted", (6, 7, 8, 9): "new"}),
        ("decode", {(4, 5): "cached", (1, 2, 3): "evicted", (6, 7, 8, 9): "new"}),
        ("decode", {(4, 5): "evicted", (1, 2, 3): "evicted", (6, 7, 8, 9): "new"}),
    ]
    assert [frame.sequences[0].output_len for frame in frames] == [0, 0, 0, 1, 3, 3, 4, 4, 4]
    assert [frame.ghosts for frame in stage.play(4)] == [()]


def test_a_split_makes_nothing_new() -> None:
    """The matched upper part of a split is a hit; the lower part stays as it was."""
    stage = Stage(16)
    stage.play(1, Request("a", (1, 2, 3, 4), 1))
    frames = stage.play(2, Request("b", (1, 2, 9), 1))

    assert _looks(frames[0]) == {(1, 2): "hit", (3, 4): "cached"}
    assert _looks(frames[-1]) == {(1, 2): "hit", (3, 4): "cached", (9,): "new"}


def test_tokens_are_reused_pending_computed_again_and_generated() -> None:
    """The kinds of a prompt's tokens follow the phases; what was evicted and is wanted again is told apart."""
    stage = Stage(6)
    stage.play(1, Request("a", (1, 2, 3), 1))
    stage.play(2, Request("b", (1, 7, 8, 9, 6), 1))
    frames = stage.play(3, Request("c", (1, 2, 3, 4), 2))

    assert frames[0].sequences[0].spans == (TokenSpan("reused", 1), TokenSpan("pending", 3))
    assert frames[-1].sequences[0].spans == (
        TokenSpan("reused", 1),
        TokenSpan("again", 2),
        TokenSpan("computed", 1),
        TokenSpan("generated", 2),
    )


def test_a_match_that_stops_at_evicted_text_says_what_was_there() -> None:
    """The place where a look-up ends is remembered until the text is computed again."""
    stage = Stage(6)
    stage.play(1, Request("a", (1, 2, 3), 1))
    stage.play(2, Request("b", (1, 7, 8, 9, 6), 1))
    frames = stage.play(3, Request("c", (1, 2, 3, 4), 1))

    missing = frames[0].missing[0]
    assert (missing.sequence_id, missing.tokens, missing.evicted_in_stage) == ("c", 2, 2)
    assert [len(frame.missing) for frame in frames] == [1, 1, 1, 0, 0, 0]


def test_a_sample_that_repeats_an_older_answer_marks_its_node() -> None:
    """The older answer's node is plain and carries the sample's number; the question above it is a hit."""
    stage = Stage(32)
    stage.play(1, Request("a", (1, 2, 3), 3))
    frames = stage.play(2, Request("b", (1, 2, 3), 3, samples=2))

    last = frames[-1]
    marks = {
        node.token_ids: (last.labels[node.node_id].look, last.labels[node.node_id].repeats) for node in last.tree.nodes
    }
    assert marks == {(1, 2, 3): ("hit", None), (100, 101): ("cached", 2)}


def test_running_sequences_show_the_pages_that_are_only_theirs() -> None:
    """While it decodes, a sequence's new tokens are in its own pages, at the end in the tree's."""
    frames = Stage(16, page_size=2).play(1, Request("a", (1, 2, 3), 4))
    decode, done = frames[3].sequences[0], frames[-1].sequences[0]

    assert (decode.tail_len, decode.tail_pages, decode.state) == (4, (2, 3), "running")
    assert (done.tail_len, done.tail_pages, done.state) == (0, (), "finished")
    assert [frame.pool.count("running") for frame in frames] == [0, 0, 1, 2, 0, 0]
    assert [frame.pool.count("free") for frame in frames] == [16, 16, 14, 13, 13, 13]
