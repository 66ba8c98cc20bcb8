"""The summary: a run in a page of plain text."""

from __future__ import annotations

from radixviz.render.report import evicted_ids, output_text
from radixviz.render.tree_text import tree_text
from radixviz.render.words import say
from radixviz.timeline import SequenceView, StageKey, Timeline


def run_summary(timeline: Timeline, language: str) -> str:
    """Return every stage: its requests with what they reused, what was evicted, the pages, and the tree."""
    return "\n\n".join(_stage(timeline, stage, language) for stage in timeline.stages())


def _stage(timeline: Timeline, stage: StageKey, language: str) -> str:
    frames = timeline.stage_frames(stage)
    last = frames[-1]
    heading = stage_heading(timeline, stage, language)
    requests = [_request(timeline, view, language) for view in last.sequences]
    evicted = ", ".join(last.labels[node_id].letter or "?" for node_id in evicted_ids(frames))
    evictions = [f"{say(language, 'cli.evicted')}: {evicted}"] if evicted else []
    free = f"{say(language, 'cli.free')}: {last.pool.count('free')} / {last.pool.total}"
    return "\n".join([heading, *requests, *evictions, free, tree_text(timeline, last, language)])


def stage_heading(timeline: Timeline, stage: StageKey, language: str) -> str:
    """Return the stage's number and title; the encore has no number."""
    title = timeline.script.stage(stage).title[language]
    return f"{'+' if stage == 'encore' else stage}  {title}"


def _request(timeline: Timeline, view: SequenceView, language: str) -> str:
    counts = (
        ("cli.prompt", view.prompt_len),
        ("cli.prefix", view.prefix_len),
        ("cli.cached", view.cached_tokens),
        ("cli.computed", view.prompt_len - view.cached_tokens),
        ("cli.output", view.output_len),
    )
    told = ", ".join(f"{say(language, key)} {number}" for key, number in counts)
    return f"{view.sequence_id}: {told}: {output_text(timeline, view)}"
