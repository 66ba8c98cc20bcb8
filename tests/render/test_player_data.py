from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from radixviz.model.folder import TINY, locate
from radixviz.model.tokenizer import TextTokenizer
from radixviz.render.frame_pages import freed_pages
from radixviz.render.layout import find_engine
from radixviz.render.narrate import narrate, plain
from radixviz.render.player_data import IntroRow, PlayerIntro, player_data, waiting_data
from radixviz.render.tree_boxes import tree_boxes
from radixviz.render.visible import token_text
from radixviz.render.words import LANGUAGES
from radixviz.scenario.dry_run import dry_run
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.timeline import Frame, NodeMark, Timeline, TokenSpan
from tests.render.small_timeline import frame, ids, node, sequence, timeline

Data = dict[str, Any]
MOST_BYTES = 600_000
WORDS = {"en": "Why", "zh": "为什么"}
INTRO = PlayerIntro(WORDS, WORDS, WORDS, WORDS, (IntroRow(WORDS, (b"a", b"\n")), IntroRow(WORDS, (b"a", b"\xff"))))
HOSTILE = [
    "\"'\\",
    "<b>x</b>",
    "<script>alert(1)</script>",
    "<|im_end|>",
    "{a|b}",
    "$x$",
    "two\nlines",
    "🙂👩‍💻",
    "你好，世界",
    "مرحبا",
    "\x00\x07\x1b[31m",
    "a" * 5000,
]


@pytest.fixture(scope="module")
def tour() -> Timeline:
    """Return the tour as the engine plays it with the replies that the tiny model was taught."""
    scenario = load_scenario(find_scenario("nine-stages"))
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    return dry_run(scenario, tokenizer, page_size=scenario.page_size, pool_pages=scenario.pool_pages)


@pytest.fixture(scope="module")
def engine() -> Path:
    """Return the Graphviz that requirements.txt installs."""
    found = find_engine()
    assert found is not None
    return found


@pytest.fixture(scope="module")
def data(tour: Timeline, engine: Path) -> Data:
    """Return the player's data of the tour, after a round trip through JSON."""
    return read(player_data(tour, engine, INTRO))


def read(values: Mapping[str, object]) -> Data:
    """Return the values as a browser gets them."""
    found: Data = json.loads(json.dumps(values, ensure_ascii=False).encode("utf-8"))
    return found


def spread(runs: Sequence[Sequence[int]]) -> list[int]:
    """Return the numbers of runs."""
    return [number for first, count in runs for number in range(first, first + count)]


def frames(data: Data) -> list[Data]:
    """Return the frames with their boxes in the place of the indices."""
    return [{**frame, "boxes": [data["boxes"][place] for place in frame["boxes"]]} for frame in data["frames"]]


def test_the_tour_is_small_enough(data: Data) -> None:
    """All frames of the nine stages in both languages take no more than 600 kB."""
    assert len(json.dumps(data, ensure_ascii=False).encode("utf-8")) <= MOST_BYTES


def test_the_stages_are_the_timelines(tour: Timeline, data: Data) -> None:
    """Each stage knows its first frame, how many it has, and the author's stops among them."""
    found = [(stage["stage"], stage["first"], stage["frames"], stage["stops"]) for stage in data["stages"]]
    assert found == [
        (
            stage,
            tour.stage_frames(stage)[0].index,
            len(tour.stage_frames(stage)),
            [frame.index for frame in tour.stage_frames(stage) if frame.stop is not None],
        )
        for stage in tour.stages()
    ]


def test_every_frame_has_its_place(tour: Timeline, data: Data) -> None:
    """Stage, number within it, phase, requests, stop and queue are those of the timeline."""
    found = [
        (
            data["stages"][one["s"]]["stage"],
            one["n"],
            one["phase"],
            one["ids"],
            one["stop"],
            one["waiting"],
            one["running"],
        )
        for one in data["frames"]
    ]
    assert found == [
        (
            one.stage,
            one.stage_frame,
            one.phase,
            list(one.requests),
            one.stop,
            list(one.queue.waiting),
            list(one.queue.running),
        )
        for one in tour.frames
    ]


def test_every_page_is_there(tour: Timeline, data: Data) -> None:
    """The runs spread out to the state and the holder of each page, and to the pages that were just freed."""
    for told, one in zip(tour.frames, data["frames"], strict=True):
        pages = [(state, holder) for state, holder, count in one["pages"] for _ in range(count)]
        assert pages == [(view.state, view.holder) for view in told.pool.pages]
        assert set(spread(one["freed"])) == freed_pages(told)


def test_every_sequence_is_there(tour: Timeline, data: Data) -> None:
    """Tokens, spans, hits, state and own pages of each request are those of the timeline."""
    for told, one in zip(tour.frames, data["frames"], strict=True):
        assert [sequence_of(data, seq) for seq in one["seqs"]] == [
            {
                "id": view.sequence_id,
                "request": view.request_id,
                "sample": (view.sample, view.samples),
                "prompt": view.prompt_len,
                "ids": list(view.token_ids),
                "spans": list(view.spans),
                "hit": (view.prefix_len, view.cached_tokens),
                "state": view.state,
                "node": view.node_id,
                "tail": view.tail_len,
                "pages": list(view.tail_pages),
            }
            for view in told.sequences
        ]


def sequence_of(data: Data, seq: Data) -> Data:
    """Return one sequence of a frame, put together from the frame and the table."""
    whole = data["sequences"][seq["id"]]
    return {
        "id": seq["id"],
        "request": whole["request"],
        "sample": (whole["sample"], whole["samples"]),
        "prompt": whole["prompt"],
        "ids": whole["ids"][: seq["shown"]],
        "spans": [TokenSpan(kind, count) for kind, count in seq["spans"]],
        "hit": (seq["prefix"], seq["cached"]),
        "state": seq["state"],
        "node": seq["node"],
        "tail": seq["tail"],
        "pages": spread(seq["pages"]),
    }


def test_every_box_is_there(tour: Timeline, data: Data) -> None:
    """Boxes come in the order of drawing, with the tokens, looks, letters and locks of the tree."""
    for told, one in zip(tour.frames, frames(data), strict=True):
        assert [
            (
                box["key"],
                box["parent"],
                box["kind"],
                box["look"],
                box["name"],
                box["letter"],
                [] if box["edge"] is None else data["edges"][box["edge"]]["ids"],
                box["stored"],
                box["running"],
                box["lock"],
            )
            for box in one["boxes"]
        ] == [
            (
                box.key,
                box.parent,
                box.kind,
                box.look,
                box.name,
                box.letter,
                list(box.token_ids),
                box.stored,
                box.running,
                box.lock_ref,
            )
            for box in tree_boxes(tour, told)
        ]


def test_a_box_knows_its_pages_and_its_use(tour: Timeline, data: Data) -> None:
    """Page numbers, hit count, last use and the letters of a node are those of the tree."""
    for told, one in zip(tour.frames, frames(data), strict=True):
        boxes = {box["node"]: box for box in one["boxes"] if box["kind"] == "node"}
        for item in told.tree.nodes:
            box = boxes[item.node_id]
            assert spread(box["pages"])[: len(item.token_ids)] == list(item.pages(1))
            assert (box["hits"], box["last"], box["made"]) == (item.hit_count, item.last_access, item.created)
            assert tuple(box["letters"]) == told.labels[item.node_id].letters


def test_a_lock_names_its_holders(data: Data) -> None:
    """As many sequences hold a node as its lock_ref says."""
    assert [box for box in data["boxes"] if box["lock"] != len(box["holders"])] == []


def test_the_order_of_eviction_is_what_happens(tour: Timeline, data: Data) -> None:
    """Whatever is evicted in a stage goes in the order that the frames before have told."""
    shown = frames(data)
    for (before, after), told in zip(pairwise(shown), tour.frames[1:], strict=True):
        gone = {ghost.node.node_id for ghost in told.ghosts if ghost.evicted_in == told.index}
        if gone:
            places = sorted(box["order"] for box in before["boxes"] if box["node"] in gone and box["kind"] == "node")
            assert places == list(range(1, len(gone) + 1))
            assert {box["kind"] for box in after["boxes"] if box["node"] in gone} == {"ghost"}


def test_tokens_lie_where_the_boxes_say(tour: Timeline, data: Data) -> None:
    """The segments of a sequence follow one another, and each box holds exactly these tokens."""
    for told, one in zip(tour.frames, frames(data), strict=True):
        boxes = {box["key"]: box for box in one["boxes"]}
        for view, seq in zip(told.sequences, one["seqs"], strict=True):
            for key, start, end in seq["segments"]:
                edge = data["edges"][boxes[key]["edge"]]["ids"]
                assert edge[: end - start] == list(view.token_ids[start:end])
            starts = [start for _, start, _ in seq["segments"]]
            assert starts == sorted(starts)
            assert starts[:1] in ([], [0])


def test_the_sentences_are_the_frames(tour: Timeline, data: Data) -> None:
    """Both languages tell what the server tells; terms of the glossary are set apart and explained."""
    for told, one in zip(tour.frames, data["frames"], strict=True):
        for lang in LANGUAGES:
            sentence = narrate(tour, told, lang)
            words = one["told"][lang]
            assert "".join(piece[0] for piece in words["say"]) == plain(sentence.say)
            assert "".join(piece[0] for piece in words["why"]) == plain(sentence.why)
            terms = [piece[2] for piece in words["say"] + words["why"] if piece[2]]
            assert len(set(terms)) == len(terms)
            assert {f"glossary.{term}.help" for term in terms} <= set(data["words"][lang])


def test_every_box_has_a_place(data: Data) -> None:
    """Graphviz has placed each box of each frame below its parent, and siblings do not overlap."""
    for one in frames(data):
        layout = data["layouts"][one["layout"]]
        assert set(layout["at"]) == {box["key"] for box in one["boxes"]}
        for box in one["boxes"]:
            above = layout["at"].get(box["parent"], [layout["root"], 0])
            assert layout["at"][box["key"]][1] == above[1] + 1
        for rank in range(1, layout["ranks"] + 1):
            xs = sorted(x for x, at in layout["at"].values() if at == rank)
            assert all(right - left >= 1 for left, right in pairwise(xs))


def test_the_zoom_is_fixed(data: Data) -> None:
    """One stage has one scale, and heights of boxes and of the drawing are the same in all of them."""
    assert {(scale["height"], scale["boxHeight"], scale["width"]) for scale in data["scales"]} == {(426.0, 79.0, 820.0)}
    assert {box["key"] for one in frames(data) for box in one["boxes"] if len(box["lines"]["en"]) > 3} == set()


def test_the_overview_has_a_tree_for_each_stage(data: Data) -> None:
    """Each card shows as many boxes as the stage's last frame."""
    last = {data["stages"][one["s"]]["stage"]: one for one in frames(data)}
    assert [(card["stage"], len(card["boxes"])) for card in data["overview"]] == [
        (stage, len(one["boxes"])) for stage, one in last.items()
    ]


def test_the_same_run_has_the_same_digest(tour: Timeline, engine: Path, data: Data) -> None:
    """Data are the same bytes for the same timeline; another one has another digest."""
    assert read(player_data(tour, engine, INTRO)) == data
    assert data["digest"] != read(player_data(tour, engine))["digest"]


def test_without_graphviz_there_is_everything_but_places(tour: Timeline, data: Data) -> None:
    """The frames have no layout and the overview no drawing; sentences and boxes are there."""
    plain_data = read(player_data(tour, None))
    assert {one["layout"] for one in plain_data["frames"]} == {None}
    assert plain_data["layouts"] == []
    assert [len(one["boxes"]) for one in plain_data["frames"]] == [len(one["boxes"]) for one in data["frames"]]


def test_the_introduction_needs_no_timeline() -> None:
    """While the model loads there are the prompts, the names of the stages, and no frame."""
    found = read(waiting_data("small", WORDS, [(1, WORDS, WORDS)], INTRO))
    assert found["intro"]["prompts"][1] == {"label": WORDS, "tokens": ["a", "\\xff"]}
    assert found["intro"]["shared"] == 1
    assert [(stage["stage"], stage["frames"]) for stage in found["stages"]] == [(1, 0)]
    assert found["frames"] == []


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_texts_of_every_kind_arrive(text: str, engine: Path) -> None:
    """The whole text is there exactly, the strip has one visible text for each token, and it is one box."""
    told = hostile(text)
    found = read(player_data(told, engine))
    (box,) = frames(found)[0]["boxes"]
    edge = found["edges"][box["edge"]]
    assert edge["text"] == text
    assert edge["ids"] == list(ids(text))
    assert [found["tokens"][str(token)] for token in edge["ids"]] == [
        token_text(told.token_bytes, (token,)) for token in ids(text)
    ]
    assert 1 <= len(box["lines"]["en"]) <= 3
    assert not any(ord(character) < 32 for line in box["lines"]["en"] for character in line)


def hostile(text: str) -> Timeline:
    """Return a timeline of one frame whose only node holds this text."""
    item = node(1, None, text)
    return timeline(one_frame(item, text), pages=len(ids(text)))


def one_frame(item: Any, text: str) -> Frame:
    """Return a frame with this node, of a request that is done."""
    view = sequence(text, [TokenSpan("computed", len(ids(text)))], state="finished", node_id=1)
    return frame([item], {1: NodeMark("new", "A1")}, sequences=[view], pages=len(ids(text)))
