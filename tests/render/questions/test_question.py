from __future__ import annotations

import doctest
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import radixviz.render.questions.amount
from radixviz.events import NodeEvicted, NodeSplit
from radixviz.model.folder import TINY, locate
from radixviz.model.tokenizer import TextTokenizer
from radixviz.render.questions.amount import word_before
from radixviz.render.questions.question import Question, frame_question
from radixviz.render.spans import plain
from radixviz.scenario.dry_run import dry_run
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.timeline import Frame, SequenceView, StageKey, Timeline
from tests.scenario.templated import templated


def played(page_size: int, pool_pages: int) -> Timeline:
    """Return the tour as the engine plays it with the replies that the tiny model was taught."""
    scenario = load_scenario(find_scenario("nine-stages"))
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    return dry_run(scenario, tokenizer, page_size=page_size, pool_pages=pool_pages)


@pytest.fixture(scope="module")
def tour() -> Timeline:
    """Return the tour with the scenario's own pool."""
    return played(1, 300)


@pytest.fixture(scope="module")
def asked(tour: Timeline) -> Mapping[StageKey, tuple[Frame, Question]]:
    """Return the question of each stage with its frame."""
    found = [(frame, frame_question(tour, frame)) for frame in tour.frames]
    return {frame.stage: (frame, question) for frame, question in found if question is not None}


def first(frame: Frame) -> SequenceView:
    """Return the sequence that the frame is about."""
    return next(view for view in frame.sequences if view.sequence_id == frame.requests[0])


def test_each_of_the_nine_stages_asks_once(asked: Mapping[StageKey, tuple[Frame, Question]]) -> None:
    """At the frames where a stage's answer shows; the encore asks nothing."""
    assert {stage: (frame.stage_frame, question.info.kind) for stage, (frame, question) in asked.items()} == {
        1: (1, "number"),
        2: (5, "choice"),
        3: (1, "number"),
        4: (1, "choice"),
        5: (5, "node"),
        6: (1, "number"),
        7: (1, "number"),
        8: (1, "number"),
        9: (4, "number"),
    }


def test_what_is_right_is_what_happens(tour: Timeline, asked: Mapping[StageKey, tuple[Frame, Question]]) -> None:
    """Each right answer is counted again, in another way, from the events and requests of its frame."""
    right = {stage: question.right for stage, (_, question) in asked.items()}
    for stage in (6, 8):
        assert right[stage] == (str(first(asked[stage][0]).prefix_len),)
    assert right[1] == (str(first(tour.stage_frames(2)[0]).prefix_len),)
    assert right[3] == (str(first(tour.last_frame(3)).count("computed")),)
    assert right[7] == (str(sum(view.count("computed") for view in tour.last_frame(7).sequences)),)
    assert right[9] == ("1",)
    cut = next(event for event in asked[4][0].events if isinstance(event, NodeSplit))
    offered = asked[4][1].options[int(right[4][0]) - 1]["en"]
    upper = asked[4][0].tree.node(cut.upper_id)
    assert upper is not None
    assert tour.text(upper.token_ids).endswith(offered.strip("“”"))
    kept = tour.last_frame(2).tree.nodes[0].token_ids
    assert tour.text(kept).endswith("Hi!")
    assert asked[2][1].named["en"] == "prompt and answer"
    gone = [event.node_id for event in asked[5][0].events if isinstance(event, NodeEvicted)]
    assert right[5] == tuple(f"n{node_id}" for node_id in gone)


def test_every_foreseen_answer_is_told_its_reason(asked: Mapping[StageKey, tuple[Frame, Question]]) -> None:
    """In both languages, with the frame's own numbers; no two wrong answers of a question are the same."""
    for _, question in asked.values():
        assert set(question.right) <= set(question.said)
        assert all(plain(told[lang]) for told in question.said.values() for lang in ("en", "zh"))
    assert {answer: plain(told["en"]) for answer, told in asked[3][1].said.items()} == {
        "63": "The client sends all of it, but the 16 tokens of the first turn are in the tree.",
        "16": "That many hit. What is left of the prompt is computed.",
        "49": "What the model wrote is in the tree too: those 2 tokens hit as well.",
        "47": "The first turn is in the tree, A1, its answer too: only what is new is computed.",
    }


def test_each_node_is_told_why_it_stays(asked: Mapping[StageKey, tuple[Frame, Question]]) -> None:
    """What is held, what has a child, and the leaf that goes."""
    frame, question = asked[5]
    names = {f"n{node_id}": mark.name for node_id, mark in frame.labels.items()}
    assert {names[key]: plain(told["en"]) for key, told in question.said.items()} == {
        "SYS": "SYS is in use: 1 running request holds it.",
        "A1": "A1 (b) has a node below it, and only leaves go.",
        "A2": "A leaf that nobody holds: the only one there is. It goes whole.",
        "B1": "B1 (d) is in use: 1 running request holds it.",
        "B2": "B2 is in use: 1 running request holds it.",
    }


def test_a_node_is_named_with_its_letter(asked: Mapping[StageKey, tuple[Frame, Question]]) -> None:
    """The sentence of the frame calls it by its letter alone: so a reader sees that they are one."""
    assert asked[5][1].named == {"en": "A2 (c)", "zh": "A2（c）"}


def test_what_is_seen_before_does_not_tell_the_answer(
    tour: Timeline, asked: Mapping[StageKey, tuple[Frame, Question]]
) -> None:
    """The tree and the pages are those of the frame before; a new request waits, with nothing of it matched."""
    for frame, question in asked.values():
        before = question.before
        assert (before.tree, before.pool) == (
            (tour.frames[frame.index - 1].tree, tour.frames[frame.index - 1].pool)
            if frame.index
            else (frame.tree, frame.pool)
        )
        assert (before.index, before.stage, before.stage_frame) == (frame.index, frame.stage, frame.stage_frame)
        assert before.events == ()
        if frame.stage_frame == 1:
            assert (before.ghosts, before.missing) == ((), ())
            assert {mark.look for mark in before.labels.values()} <= {"cached"}
            assert {(view.prefix_len, view.state) for view in before.sequences} <= {(0, "waiting")}


def test_another_pool_asks_what_is_true_there() -> None:
    """With pages of four tokens fewer hit; where nothing is split, nobody is asked where."""
    small = {frame.stage: frame_question(played(4, 72), frame) for frame in played(4, 72).frames if frame.question == 0}
    third = small[3]
    assert third is not None
    assert third.right == ("47",)
    large = played(16, 40)
    stages = {frame.stage for frame in large.frames if frame_question(large, frame) is not None}
    assert 4 not in stages
    assert {1, 3, 8} <= stages


def test_what_is_to_come_is_asked_about_once_it_is_there(tour: Timeline) -> None:
    """Of a run that has only begun, the first stage cannot ask about the request of the second."""
    begun = replace(tour, frames=tour.frames[:1])
    assert frame_question(begun, begun.frames[0]) is None


def test_a_choice_without_one_right_answer_is_not_asked(tour: Timeline) -> None:
    """When what happens is not among the options, the question is left out."""
    frame = tour.stage_frames(2)[4]
    info = tour.script.stage(2)
    question = replace(info.questions[0], answers=info.questions[0].answers[:2])
    stages = tuple(replace(one, questions=(question,)) if one is info else one for one in tour.script.stages)
    assert frame_question(replace(tour, script=replace(tour.script, stages=stages)), frame) is None


def test_the_examples_are_true() -> None:
    """What the docstrings show is what happens."""
    assert doctest.testmod(radixviz.render.questions.amount).failed == 0


def test_the_word_where_an_edge_is_cut_is_that_of_the_prompt(tour: Timeline, tmp_path: Path) -> None:
    """In plain text it is another one than behind a template's header, whose line ends before what the user says."""
    scenario, tokenizer = load_scenario(find_scenario("nine-stages")), templated(tmp_path)
    chat = dry_run(scenario, tokenizer, page_size=1, pool_pages=5000, taught=False)
    for timeline, word in ((tour, "“User:”"), (chat, "“<|im_start|>user⏎”")):
        question = frame_question(timeline, timeline.stage_frames(4)[0])
        assert question is not None
        assert [option["zh"] for option in question.options] == ["“assistant.”", word, "“What”", "不拆：B 另存一份"]
        assert (question.right, question.named) == (("2",), {"en": word, "zh": word})


def test_a_place_outside_the_prompt_has_no_word_before_it(tour: Timeline) -> None:
    """Before its first token there is none; behind its last it is the last one."""
    (view,) = tour.last_frame(4).sequences
    words = [word_before(tour, view, count) for count in (-1, 0, 1, 10**9)]
    assert words == ["", "", "You", "Assistant:"]
