"""One frame as the player in the browser gets it: see `frames` in `radixviz.render.player_data`."""

from __future__ import annotations

from collections.abc import Sequence

from radixviz.events import NodeGrown, NodeSplit, RequestMatched
from radixviz.render.eviction_order import eviction_order
from radixviz.render.frame_pages import freed_pages, pages_evicted, pages_short
from radixviz.render.narrate import Sentence, narrate
from radixviz.render.player_numbers import formula, frame_numbers, held_nodes, next_to_go
from radixviz.render.player_segments import segments
from radixviz.render.runs import runs
from radixviz.render.table import Json
from radixviz.render.terms import pieces
from radixviz.render.token_fold import cells, strip_room
from radixviz.render.tree_boxes import TreeBox
from radixviz.render.tree_text import tree_text
from radixviz.render.words import LANGUAGES, say
from radixviz.timeline import Frame, SequenceView, Timeline


def frame_state(
    timeline: Timeline, frame: Frame, stage: int, layout: int | None, boxes: Sequence[TreeBox], places: Sequence[int]
) -> Json:
    """Return everything about one frame; `stage`, `layout` and `places` (of the boxes) point into the tables."""
    freed = pages_evicted(frame)
    return {
        "s": stage,
        "n": frame.stage_frame,
        "place": {lang: _place(timeline, frame, lang) for lang in LANGUAGES},
        "phase": frame.phase,
        "text": {lang: tree_text(timeline, frame, lang) for lang in LANGUAGES} if layout is None else None,
        "ids": list(frame.requests),
        "stop": frame.stop,
        "layout": layout,
        "boxes": list(places),
        "pages": _pages(frame),
        "freed": runs(sorted(freed_pages(frame))),
        "seqs": [_sequence(timeline, frame, view, boxes) for view in frame.sequences],
        "matched": [
            [event.sequence_id, event.prefix_len, list(event.path)]
            for event in frame.events
            if isinstance(event, RequestMatched)
        ],
        "split": [
            [event.upper_id, event.node_id, event.length] for event in frame.events if isinstance(event, NodeSplit)
        ],
        "grown": [event.node_id for event in frame.events if isinstance(event, NodeGrown)],
        "told": {lang: _told(narrate(timeline, frame, lang), lang) for lang in LANGUAGES},
        "numbers": frame_numbers(frame),
        "formula": formula(frame),
        "locks": held_nodes(frame),
        "next": next_to_go(frame, eviction_order(frame.tree)),
        "evict": {"short": pages_short(frame), "freed": freed} if freed else None,
        "waiting": list(frame.queue.waiting),
        "running": list(frame.queue.running),
    }


def _place(timeline: Timeline, frame: Frame, lang: str) -> str:
    stage = say(lang, "stage.encore") if frame.stage == "encore" else say(lang, "stage", stage=frame.stage)
    frames = len(timeline.stage_frames(frame.stage))
    return stage + say(lang, "comma") + say(lang, "frame.of", frame=frame.stage_frame, frames=frames)


def _told(sentence: Sentence, lang: str) -> Json:
    taken: set[str] = set()
    return {"say": pieces(sentence.say, lang, taken), "why": pieces(sentence.why, lang, taken)}


def _pages(frame: Frame) -> list[list[object]]:
    found: list[list[object]] = []
    count = 0
    for view in frame.pool.pages:
        if found and found[-1][:2] == [view.state, view.holder]:
            count += 1
            found[-1][2] = count
        else:
            count = 1
            found.append([view.state, view.holder, count])
    return found


def _sequence(timeline: Timeline, frame: Frame, view: SequenceView, boxes: Sequence[TreeBox]) -> Json:
    return {
        "id": view.sequence_id,
        "shown": len(view.token_ids),
        "spans": [[span.kind, span.count] for span in view.spans],
        "prefix": view.prefix_len,
        "cached": view.cached_tokens,
        "state": view.state,
        "node": view.node_id,
        "tail": view.tail_len,
        "pages": runs(view.tail_pages),
        "folds": _folds(timeline, frame, view),
        "segments": [list(segment) for segment in segments(view, boxes)],
    }


def _folds(timeline: Timeline, frame: Frame, view: SequenceView) -> list[list[int]]:
    """Return [first token, how many] of each run of tokens that the strip leaves out."""
    row = cells(view.token_ids, view.spans, timeline.token_bytes, strip_room(len(frame.sequences)))
    return [[cell.index, cell.folded] for cell in row if cell.folded]
