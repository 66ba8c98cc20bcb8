r"""Everything the player in the browser needs, as JSON values, for both languages at once: `player_data`.

What occurs in many frames is written once, in a table, and named by its place in it. `WORDS` below is {"en", "zh"},
`RUNS` is [[first, count], ...] (see `radixviz.render.runs`), `PIECES` is [[text, role or null, term or null], ...],
see `radixviz.render.terms`. Every text is to be set as text, never as HTML.

    version     1
    digest      changes whenever anything below changes
    scenario    its id; `title` WORDS
    run         model, device, dtype, page_size, pool_pages, kv_bytes_per_token
    words       {"en": {key: text}, "zh": ...}: the texts of `radixviz.render.words` whose keys begin as in
                PLAYER_WORDS; {n} is filled with a value, {n:page|pages} with the word for one or for any other number
    intro       null, or the stage 0: title, short, say, why (WORDS), shared (tokens that all prompts begin with),
                prompts [{label WORDS, tokens [visible text, ...]}]. In the browser it is the frame -1.
    panels      the names of PANELS
    stages      [{stage 1..9 or "encore", mark (+ for it), title, short WORDS, first (index of its first frame), frames
                (how many), scale (index), panels (those that it shows), stops (indices of the frames that are the
                author's stops)}]; while a timeline is still being made, first is 0 and frames 0
    names       {stable node name: WORDS (what it stands for)}
    requests    {request id: {label, short WORDS, gloss, reply_glosses}}: glosses are Chinese; those of
                its replies, one for each sample, are [] where the model was not taught to say them
    tokens      {"token id": visible text (a newline is ⏎, control characters are pictures, stray bytes \xf0)}
    sequences   {sequence id: {request, sample, samples, prompt (tokens), ids (all its tokens at its end), stop
                (whether the last of them is a stop token, which is no text)}}
    edges       [{ids, text}]: the tokens of each distinct edge, and their exact text with newlines as they are
    scales      [{box, columns, gap, width, height, head, line, pad, rootY, firstGap, boxHeight}] in units of the
                drawing (pixels at 1280 x 800): one zoom for the whole scenario, so text never changes its size; the
                width of a box (`box`) is chosen for each stage. `width` x `height` is the drawing. The top of rank r
                (1: children of the root) is rootY + firstGap + (r - 1) * (boxHeight + gap). `far` is the same for the
                projector view, where a unit is at least two pixels.
    layouts     [{w, ranks, root, at {box key: [x, rank]}}] as Graphviz places each distinct tree: x is the middle of a
                box in widths of a box from the left edge of the boxes, `w` the width of all, `root` the x of the root.
                The drawing is centred: left = (scale.width - w * scale.box) / 2.
    boxes       the distinct states of the boxes of the tree:
        key         "n<node id>", "r<sequence id>" (running tokens that have no leaf yet), "m<n>" (a missing piece)
        parent      the key of the box above, null below the root (also when that box is not in the frame)
        css         the class of its look in the style sheet
        kind        node, ghost (evicted in this stage), running, missing (it was here once, and a match stopped there)
        look        new, hit, evicted, cached
        name, letter, letters ("" or [] where it has none), repeats (the sample whose answer it already held, or null)
        title       {"en", "zh"}: the name as it is shown, clipped to the box
        count       "60", "10 + 60" (stored and running), "+ 9"
        badge       {"en", "zh"}: NEW, HIT, EVICTED, = sample n, or ""
        lines       {"en", "zh"}: the lines of the body, at most 3
        edge        index into edges, or null (missing)
        stored, running (tokens), lock (lock_ref), holders (ids of the sequences that hold it)
        node        its node id or null; sequence: of a running or missing box, else null
        pages       RUNS of its page numbers in the order of its tokens, running ones last
        last, hits, made (tick of its last use, hit count, tick of its making), or null
        order       its place in the eviction order, from 1, were no other request to come; null when it cannot go
        reason      of that: "oldest" (a leaf; the longer unused, the earlier), "children" (after its children),
                    "locked" (it is held), or null (not in the tree)
        was         the stage until which a missing piece was here, or null
        hidden      how many boxes of a large tree are folded below it
        far         {title, lines} for the projector view, where there is room for one line at most
    overview    [{stage, mark, title WORDS, and what `radixviz.render.mini_tree` draws}]
    frames      [{s (index into stages), n (within the stage, from 1), phase, ids (sequence ids it is about),
        place       WORDS: "Stage 5, Step 3 of 8"
        stop        number of the author's stop from 0, or null
        layout      index into layouts, or null where no Graphviz works; text {"en", "zh"}, the tree as text, is
                    there only then
        boxes       indices into boxes, in the order of drawing (parents first, siblings from left to right)
        pages       [[state, holder, count], ...] for pages 1, 2, ...: free, cached, locked, running; the holder is a
                    node id, a sequence id or null
        freed       RUNS of the pages that came back in this frame and are free
        seqs        [{id, shown (tokens it has), spans [[kind, count], ...] (reused, pending, computed, again or
                    generated), prefix (L_hit), cached, state (waiting, running, finished), node (deepest that it
                    holds, or null), tail (tokens in its own pages), pages (RUNS of these), folds
                    [[token, count], ...] (runs that the strip leaves out on a wide page), segments [[box
                    key, from, to], ...] (the boxes that hold its tokens, from the root down)}]: all of the stage
        matched     [[sequence id, prefix_len, [node ids from the root down]], ...]: look-ups of this frame
        split       [[upper node id, lower node id, tokens of the upper], ...]: the lower one keeps the id
        grown       node ids that were lengthened in this frame
        told        {"en" and "zh": {say, why: PIECES}}
        evict       null, or {short, freed} in pages, when something was evicted in this frame
        numbers     texts of `radixviz.render.player_numbers.NUMBERS`; formula {"en", "zh"}: [text, ...]
        locks, next [text, ...]: locked nodes with their lock_ref; nodes in the order in which they would be evicted
        waiting, running (sequence ids)}]
    questions   [{frame (its index), kind (number, choice or node), before (what is shown while it is open: a row like
                those of `frames`, whose sentence is the question; tokens of the kind "asked" do not say what becomes of
                them), options [WORDS, ...] (of a choice), right [answer, ...], named WORDS (what the right answer is
                called), why {"en", "zh"}: PIECES (said to an answer that `told` does not have), told {answer: {"en",
                "zh"}: PIECES}, most (a number is from 0 to this)}]: an answer is a text, a number's digits, an
                option's place from 1, or the key of a box
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from radixviz.render.dot import layout_dot
from radixviz.render.eviction_order import eviction_order
from radixviz.render.intro import shared_length
from radixviz.render.layout import Layout, lay_out
from radixviz.render.mini_tree import mini_tree
from radixviz.render.player_boxes import box_state
from radixviz.render.player_frames import frame_state
from radixviz.render.questions.question import frame_question
from radixviz.render.questions.table import question_state
from radixviz.render.stage_scale import StageScales, fit_both, stage_scales
from radixviz.render.table import Json, Table
from radixviz.render.tree_boxes import TreeBox, tree_boxes
from radixviz.render.tree_scale import (
    HEAD_HEIGHT,
    LINE_HEIGHT,
    TreeScale,
)
from radixviz.render.visible import visible_bytes
from radixviz.render.words import LANGUAGES, words
from radixviz.timeline import Frame, RequestInfo, StageInfo, StageKey, Timeline, Words

PANELS = {"life": 2, "strip": 2, "hit": 3, "pages": 4, "pool": 5, "locks": 5, "order": 8}
"""From which stage on each panel is shown: they come in one by one, so that a beginner sees no more than is needed."""
PLAYER_WORDS = (
    "badge.",
    "ask.",
    "close",
    "colon",
    "comma",
    "evict.",
    "far.",
    "formula.",
    "frame",
    "glossary.",
    "inspect.",
    "intro.",
    "lang.",
    "legend.",
    "link.",
    "look.",
    "metric.",
    "node.",
    "none",
    "lock_ref.",
    "notice.",
    "order.",
    "page.",
    "phase.",
    "player.",
    "pool.",
    "queue.",
    "sample",
    "stage",
    "state.",
    "tokens.",
    "tree.",
)
"""What the keys of the texts begin with that the player uses."""
_PLAIN_SCALES = fit_both(1, 1)
"""Where no Graphviz works: boxes of the greatest width, for the text alternative."""


@dataclass(frozen=True, slots=True)
class IntroRow:
    """One prompt of the introduction: how it is called, and its tokens' bytes."""

    label: Words
    tokens: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class PlayerIntro:
    """Stage 0, which needs no timeline: a question over some prompts."""

    title: Words
    short: Words
    say: Words
    why: Words
    prompts: tuple[IntroRow, ...]


def player_data(timeline: Timeline, engine: Path | None, intro: PlayerIntro | None = None) -> Json:
    """Return everything that the player shows of this timeline, as JSON values.

    Without a Graphviz program (`engine`), or when it fails, the frames have no layout.
    """
    return _Writer(timeline, engine).write(intro)


def waiting_data(
    scenario: str, title: Words, stages: Sequence[tuple[StageKey, Words, Words]], intro: PlayerIntro
) -> Json:
    """Return what the player shows while the timeline is being made: the introduction, and the stages to come.

    `stages` are (stage, title, short title).
    """
    rows = [_stage_state(*stage, first=0, frames=(), scale=0) for stage in stages]
    return _finished(
        {
            "scenario": scenario,
            "title": dict(title),
            "run": None,
            "panels": list(PANELS),
            "words": player_words(),
            "intro": _intro_state(intro),
            "stages": rows,
            "names": {},
            "requests": {},
            "tokens": {},
            "sequences": {},
            "edges": [],
            "scales": [_scales_state(_PLAIN_SCALES)],
            "layouts": [],
            "boxes": [],
            "overview": [],
            "frames": [],
            "questions": [],
        }
    )


def player_words() -> Mapping[str, Mapping[str, str]]:
    """Return the texts that the player uses, by language and key."""
    return {
        lang: {key: text for key, text in words(lang).items() if key.startswith(PLAYER_WORDS)} for lang in LANGUAGES
    }


class _Writer:
    """Goes through a timeline once and fills the tables."""

    def __init__(self, timeline: Timeline, engine: Path | None) -> None:
        self._timeline = timeline
        self._engine = engine
        self._stages = timeline.stages()
        self._edges, self._boxes, self._layouts, self._scales = Table(), Table(), Table(), Table()
        self._stage_scales = {stage: self._scale(stage) for stage in self._stages}

    def write(self, intro: PlayerIntro | None) -> Json:
        timeline = self._timeline
        stages = [self._stage(info) for info in timeline.script.stages]
        frames = [self._frame(frame) for frame in timeline.frames]
        questions = [state for frame in timeline.frames if (state := self._question(frame))]
        return _finished(
            {
                "scenario": timeline.scenario,
                "title": dict(timeline.script.title),
                "run": _run_state(timeline),
                "panels": list(PANELS),
                "words": player_words(),
                "intro": _intro_state(intro) if intro else None,
                "stages": stages,
                "names": {name: dict(text) for name, text in timeline.script.names.items()},
                "requests": {name: _request_state(info) for name, info in timeline.script.requests.items()},
                "tokens": {str(token): visible_bytes(data) for token, data in sorted(timeline.token_bytes.items())},
                "sequences": _sequences(timeline),
                "edges": self._edges.rows,
                "scales": self._scales.rows,
                "layouts": self._layouts.rows,
                "boxes": self._boxes.rows,
                "overview": [self._card(stage) for stage in self._stages],
                "frames": frames,
                "questions": questions,
            }
        )

    def _question(self, frame: Frame) -> Json | None:
        question = frame_question(self._timeline, frame)
        return question_state(question, frame.index, self._frame(question.before)) if question else None

    def _scale(self, stage: StageKey) -> StageScales:
        scales = stage_scales(self._timeline, stage, self._engine) if self._engine else None
        return scales or _PLAIN_SCALES

    def _stage(self, info: StageInfo) -> Json:
        frames = self._timeline.stage_frames(info.stage)
        if not frames:
            return _stage_state(info.stage, info.title, info.short, first=0, frames=(), scale=0)
        scale = self._scales.place(_scales_state(self._stage_scales[info.stage]))
        return _stage_state(info.stage, info.title, info.short, first=frames[0].index, frames=frames, scale=scale)

    def _frame(self, frame: Frame) -> Json:
        boxes = tree_boxes(self._timeline, frame)
        turns = eviction_order(frame.tree)
        scales = self._stage_scales[frame.stage]
        places = []
        for box in boxes:
            turn = turns.get(box.node_id) if box.kind == "node" and box.node_id is not None else None
            row = box_state(self._timeline, frame, box, scales, self._edge(box), turn)
            places.append(self._boxes.place(row))
        return frame_state(self._timeline, frame, self._stages.index(frame.stage), self._layout(boxes), boxes, places)

    def _card(self, stage: StageKey) -> Json:
        boxes = tree_boxes(self._timeline, self._timeline.last_frame(stage))
        layout = lay_out(layout_dot(boxes), self._engine) if self._engine else None
        drawing = mini_tree(boxes, layout) if layout else {}
        title = dict(self._timeline.script.stage(stage).title)
        return {"stage": stage, "mark": _mark(stage), "title": title, **drawing}

    def _edge(self, box: TreeBox) -> int | None:
        if not box.token_ids:
            return None
        data = b"".join(self._timeline.token_bytes[token] for token in box.token_ids)
        return self._edges.place({"ids": list(box.token_ids), "text": data.decode("utf-8", "backslashreplace")})

    def _layout(self, boxes: tuple[TreeBox, ...]) -> int | None:
        layout = lay_out(layout_dot(boxes), self._engine) if self._engine else None
        return self._layouts.place(_layout_state(boxes, layout)) if layout else None


def _finished(data: Json) -> Json:
    text = json.dumps(data, ensure_ascii=False)
    return {"version": 1, "digest": hashlib.sha256(text.encode("utf-8")).hexdigest()[:16], **data}


def _run_state(timeline: Timeline) -> Json:
    run = timeline.run
    return {
        "model": run.model,
        "device": run.device,
        "dtype": run.dtype,
        "page_size": run.page_size,
        "pool_pages": run.pool_pages,
        "kv_bytes_per_token": run.kv_bytes_per_token,
    }


def _stage_state(
    stage: StageKey, title: Words, short: Words, *, first: int, frames: Sequence[Frame], scale: int
) -> Json:
    return {
        "stage": stage,
        "mark": _mark(stage),
        "title": dict(title),
        "short": dict(short),
        "first": first,
        "frames": len(frames),
        "scale": scale,
        "panels": [name for name, since in PANELS.items() if stage == "encore" or since <= stage],
        "stops": [frame.index for frame in frames if frame.stop is not None],
    }


def _mark(stage: StageKey) -> str:
    return "+" if stage == "encore" else str(stage)


def _intro_state(intro: PlayerIntro) -> Json:
    return {
        "title": dict(intro.title),
        "short": dict(intro.short),
        "say": dict(intro.say),
        "why": dict(intro.why),
        "shared": shared_length([prompt.tokens for prompt in intro.prompts]),
        "prompts": [
            {"label": dict(prompt.label), "tokens": [visible_bytes(token) for token in prompt.tokens]}
            for prompt in intro.prompts
        ],
    }


def _request_state(info: RequestInfo) -> Json:
    return {
        "label": dict(info.label),
        "short": dict(info.short),
        "gloss": info.gloss,
        "reply_glosses": list(info.reply_glosses),
    }


def _sequences(timeline: Timeline) -> Json:
    latest = {view.sequence_id: view for frame in timeline.frames for view in frame.sequences}
    return {
        name: {
            "request": view.request_id,
            "sample": view.sample,
            "samples": view.samples,
            "prompt": view.prompt_len,
            "ids": list(view.token_ids),
            "stop": view.stop_token,
        }
        for name, view in latest.items()
    }


def _scales_state(scales: StageScales) -> Json:
    return {**_scale_state(scales.near), "far": _scale_state(scales.far)}


def _scale_state(scale: TreeScale) -> Json:
    return {
        "box": scale.box_width,
        "columns": scale.columns,
        "gap": scale.gap,
        "width": scale.canvas_width,
        "height": scale.canvas_height,
        "head": HEAD_HEIGHT,
        "line": LINE_HEIGHT,
        "pad": scale.padding,
        "rootY": scale.root_y,
        "firstGap": scale.first_gap,
        "boxHeight": scale.box_height,
    }


def _layout_state(boxes: Sequence[TreeBox], layout: Layout) -> Json:
    places = {box.key: layout.places[index + 1] for index, box in enumerate(boxes)}
    return {
        "w": round(layout.width, 3),
        "ranks": layout.ranks - 1,
        "root": round(layout.places[0].x, 3),
        "at": {key: [round(place.x, 3), place.rank] for key, place in places.items()},
    }
