"""The report: what `python -m radixviz play --json` prints, made from a timeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from radixviz.cache.snapshot import NodeView
from radixviz.events import NodeEvicted
from radixviz.timeline import Frame, SequenceView, StageKey, Timeline

Json = dict[str, Any]


def run_report(timeline: Timeline, language: str, first_token_seconds: Mapping[str, float] | None = None) -> Json:
    """Return the whole run as JSON values. Without times (None) two runs of the same settings give the same bytes."""
    run = timeline.run
    return {
        "model": run.model,
        "device": run.device,
        "dtype": run.dtype,
        "page_size": run.page_size,
        "pool_pages": run.pool_pages,
        "kv_bytes_per_token": run.kv_bytes_per_token,
        "stages": [_stage(timeline, stage, language, first_token_seconds) for stage in timeline.stages()],
    }


def _stage(timeline: Timeline, stage: StageKey, language: str, seconds: Mapping[str, float] | None) -> Json:
    frames = timeline.stage_frames(stage)
    last = frames[-1]
    ghosts = {ghost.node.node_id: ghost.node for ghost in last.ghosts}
    return {
        "stage": stage,
        "title": timeline.script.stage(stage).title[language],
        "requests": [_request(timeline, view, seconds) for view in last.sequences],
        "nodes": [_node(timeline, last, node) for node in (*last.tree.nodes, *ghosts.values())],
        "evicted": [last.labels[node_id].letter for node_id in evicted_ids(frames)],
        "pool": {
            "total": last.pool.total,
            "free": last.pool.count("free"),
            "cached": last.pool.count("cached"),
            "locked": last.pool.count("locked") + last.pool.count("running"),
        },
    }


def evicted_ids(frames: tuple[Frame, ...]) -> tuple[int, ...]:
    """Return the ids of the nodes evicted in these frames, in order."""
    return tuple(event.node_id for frame in frames for event in frame.events if isinstance(event, NodeEvicted))


def _request(timeline: Timeline, view: SequenceView, seconds: Mapping[str, float] | None) -> Json:
    report: Json = {
        "id": view.sequence_id,
        "prompt_tokens": view.prompt_len,
        "prefix_len": view.prefix_len,
        "cached_tokens": view.cached_tokens,
        "output_tokens": view.output_len,
        "output_text": output_text(timeline, view),
    }
    if seconds is not None:
        report["ttft_ms"] = round(seconds[view.sequence_id] * 1000, 3)
    return report


def output_text(timeline: Timeline, view: SequenceView) -> str:
    """Return the answer without its stop token, and without the space that a template puts before it."""
    return timeline.text(view.output_ids).removeprefix(" ")


def _node(timeline: Timeline, frame: Frame, node: NodeView) -> Json:
    mark = frame.labels[node.node_id]
    return {
        "id": node.node_id,
        "parent": node.parent_id,
        "letter": mark.letter,
        "name": mark.name,
        "look": mark.look,
        "tokens": len(node.token_ids),
        "text": timeline.text(node.token_ids),
        "lock_ref": node.lock_ref if mark.look != "evicted" else 0,
        "pages": list(node.pages(frame.pool.page_size)),
    }
