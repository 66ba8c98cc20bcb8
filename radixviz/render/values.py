"""The numbers that a sentence may ask for, read off one frame.

They are about the frame's sequence: the one that is short of pages, else the first of `frame.requests`. What does not
apply to the frame is 0.

    pool_pages, page_size     pages of the pool, tokens of a page
    free, nodes               free pages, nodes of the tree
    prompt                    tokens of the prompt
    prefix, cached, computed  tokens matched (L_hit), reused, and computed or still to be computed
    again                     of the computed ones: computed before and evicted since
    written                   of the matched ones: written by the model in an earlier stage
    generated                 tokens sampled so far; `answer_token` is the same, as the number of the newest one
    split_at                  in a frame with a split: the first token, from 1, that differs from the edge that was cut
    short, freed              pages that were missing, pages that came back by eviction in this frame
    freed_tokens              tokens of the nodes evicted in this frame; `evicted_tokens`: in this stage so far
    duplicate_pages           pages given back in this frame because their K and V were in the tree already
    requests                  requests that the frame is about; batch_prompt, batch_cached, batch_computed: their sums
    samples, sample           how many samples were asked for, and which this is
    held                      nodes locked in this frame
    extended, sampled         tokens computed by prefill, and tokens sampled, in this frame
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from radixviz.events import (
    FreeReason,
    NodeEvicted,
    NodesLocked,
    NodeSplit,
    PagesFreed,
    PageShort,
    RequestMatched,
    TokenSampled,
    TokensComputed,
)
from radixviz.timeline import Frame, SequenceView, Timeline


def frame_values(timeline: Timeline, frame: Frame) -> Mapping[str, int]:
    """Return every number of `radixviz.timeline.PLACEHOLDERS` for this frame."""
    return {**_pool_values(frame), **_sequence_values(timeline, frame), **_batch_values(frame), **_event_values(frame)}


def focus(frame: Frame) -> SequenceView | None:
    """Return the sequence that the frame is about, or None when there is none."""
    short = [event.sequence_id for event in frame.events if isinstance(event, PageShort)]
    wanted = (*short, *frame.requests)
    return next((view for name in wanted for view in frame.sequences if view.sequence_id == name), None)


def batch(frame: Frame) -> tuple[SequenceView, ...]:
    """Return one sequence of each request that the frame is about: samples share their prompt."""
    views = [view for view in frame.sequences if view.sequence_id in frame.requests]
    return tuple({view.request_id: view for view in reversed(views)}.values())[::-1]


def _pool_values(frame: Frame) -> dict[str, int]:
    return {
        "pool_pages": frame.pool.total,
        "page_size": frame.pool.page_size,
        "free": frame.pool.count("free"),
        "nodes": len(frame.tree.nodes),
    }


def _sequence_values(timeline: Timeline, frame: Frame) -> dict[str, int]:
    view = focus(frame)
    names = ("prompt", "prefix", "cached", "computed", "again", "written", "generated", "answer_token")
    if view is None:
        return dict.fromkeys((*names, "samples", "sample", "split_at"), 0)
    return {
        "prompt": view.prompt_len,
        "prefix": view.prefix_len,
        "cached": view.cached_tokens,
        "computed": view.prompt_len - view.cached_tokens,
        "again": _again(frame, view),
        "written": _written(timeline, frame, view),
        "generated": view.output_len,
        "answer_token": view.output_len,
        "samples": view.samples,
        "sample": view.sample,
        "split_at": _split_at(frame, view),
    }


def _batch_values(frame: Frame) -> dict[str, int]:
    views = batch(frame)
    prompt, cached = sum(view.prompt_len for view in views), sum(view.cached_tokens for view in views)
    return {
        "requests": len(views),
        "batch_prompt": prompt,
        "batch_cached": cached,
        "batch_computed": prompt - cached,
    }


def _event_values(frame: Frame) -> dict[str, int]:
    events = frame.events
    return {
        "short": next((event.short for event in reversed(events) if isinstance(event, PageShort)), 0),
        "freed": _freed(frame, "evicted"),
        "duplicate_pages": _freed(frame, "duplicate"),
        "freed_tokens": sum(len(event.token_ids) for event in events if isinstance(event, NodeEvicted)),
        "evicted_tokens": sum(len(ghost.node.token_ids) for ghost in frame.ghosts),
        "held": len({node_id for event in events if isinstance(event, NodesLocked) for node_id in event.path}),
        "extended": sum(event.end - event.start for event in events if isinstance(event, TokensComputed)),
        "sampled": sum(1 for event in events if isinstance(event, TokenSampled)),
    }


def _freed(frame: Frame, reason: FreeReason) -> int:
    freed = (event for event in frame.events if isinstance(event, PagesFreed) and event.reason == reason)
    return sum(len(event.pages) for event in freed)


def _again(frame: Frame, view: SequenceView) -> int:
    """Count the tokens computed again; before the prefill, those of the evicted edge at which the match stopped."""
    missing = sum(miss.tokens for miss in frame.missing if miss.sequence_id == view.sequence_id)
    return view.count("again") or min(missing, view.count("pending"))


def _written(timeline: Timeline, frame: Frame, view: SequenceView) -> int:
    """Count the matched tokens that are the output of a sequence of an earlier stage."""
    matched = view.token_ids[: view.prefix_len]
    earlier = {
        past.sequence_id: past
        for before in timeline.frames[: frame.index]
        if before.stage != frame.stage
        for past in before.sequences
    }
    written = {
        position
        for past in earlier.values()
        for position in range(past.prompt_len, _shared_length(past.token_ids, matched))
    }
    return len(written)


def _split_at(frame: Frame, view: SequenceView) -> int:
    """Return the number of the first token that differs from the lower half of the edge that this match cut."""
    cuts = {event.upper_id: event.node_id for event in frame.events if isinstance(event, NodeSplit)}
    matches = (event for event in frame.events if isinstance(event, RequestMatched))
    path = next((event.path for event in matches if event.sequence_id == view.sequence_id), ())
    lower = frame.tree.node(cuts[path[-1]]) if path and path[-1] in cuts else None
    if lower is None:
        return 0
    return view.prefix_len + _shared_length(lower.token_ids, view.token_ids[view.prefix_len :]) + 1


def _shared_length(left: Sequence[int], right: Sequence[int]) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(left), len(right)))
