"""Frames made by hand to be told about: one request, one node, one event at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from radixviz.cache.snapshot import NodeView, PageView, PoolSnapshot, TreeSnapshot
from radixviz.engine.metrics import Metrics
from radixviz.events import Event, Phase
from radixviz.timeline import (
    Frame,
    Ghost,
    Missing,
    NodeMark,
    Queue,
    RequestInfo,
    RunInfo,
    Script,
    SequenceView,
    StageInfo,
    StageKey,
    StopInfo,
    Timeline,
    TokenSpan,
    Unmet,
)

LABELS = {
    "A1": {"en": "session A, turn 1", "zh": "会话 A，第 1 轮"},
    "B1": {"en": "session B, turn 1", "zh": "会话 B，第 1 轮"},
}


def node(node_id: int, parent_id: int | None, tokens: Sequence[int], *, lock_ref: int = 0) -> NodeView:
    """Return a node whose tokens lie in the slots of the same numbers."""
    return NodeView(node_id, parent_id, (None,) * 4, tuple(tokens), tuple(tokens), lock_ref, 0, 0, 1, 1)


def view(
    tokens: Sequence[int],
    prompt_len: int,
    *,
    prefix_len: int = 0,
    cached: int | None = None,
    again: int = 0,
    pending: bool = False,
    name: str = "A1",
    sample: int = 1,
    samples: int = 1,
) -> SequenceView:
    """Return a sequence; what is not cached of its prompt is computed, the last `again` tokens of it again."""
    cached = prefix_len if cached is None else cached
    rest = prompt_len - cached - again
    spans = (
        TokenSpan("reused", cached),
        TokenSpan("pending" if pending else "computed", rest),
        TokenSpan("again", again),
        TokenSpan("generated", len(tokens) - prompt_len),
    )
    return SequenceView(
        sequence_id=name if samples == 1 else f"{name}#{sample}",
        request_id=name,
        sample=sample,
        samples=samples,
        prompt_len=prompt_len,
        token_ids=tuple(tokens),
        spans=tuple(span for span in spans if span.count),
        prefix_len=prefix_len,
        cached_tokens=cached,
        stop_token=False,
        state="running",
        node_id=None,
        tail_len=0,
        tail_pages=(),
    )


def frame(
    phase: Phase = "done",
    *,
    views: Sequence[SequenceView] = (),
    requests: Sequence[str] | None = None,
    events: Sequence[Event] = (),
    nodes: Sequence[NodeView] = (),
    ghosts: Sequence[NodeView] = (),
    missing: Sequence[Missing] = (),
    labels: Mapping[int, NodeMark] | None = None,
    stage: StageKey = 1,
    index: int = 0,
    stop: int | None = None,
    pages: int = 10,
    page_size: int = 1,
) -> Frame:
    """Return a frame with all pages free; it is about all its sequences unless `requests` says otherwise."""
    return Frame(
        index=index,
        stage=stage,
        stage_frame=1,
        phase=phase,
        requests=tuple(one.sequence_id for one in views) if requests is None else tuple(requests),
        events=tuple(events),
        tree=TreeSnapshot(page_size, tuple(nodes), 0, 0),
        ghosts=tuple(Ghost(one, index) for one in ghosts),
        missing=tuple(missing),
        pool=PoolSnapshot(page_size, tuple(PageView(page, "free", None) for page in range(1, pages + 1))),
        sequences=tuple(views),
        queue=Queue(),
        metrics=Metrics(),
        labels=labels or {},
        stop=stop,
    )


def timeline(*frames: Frame, stops: Sequence[StopInfo] = (), unmet: Sequence[Unmet] = ()) -> Timeline:
    """Return a timeline of these frames, each stage of which has these stops."""
    title = {"en": "Title", "zh": "标题"}
    stages = tuple(StageInfo(stage, title, title, tuple(stops), ()) for stage in {one.stage: 0 for one in frames})
    requests = {name: RequestInfo(name, label, label, "", "", ()) for name, label in LABELS.items()}
    run = RunInfo("none", "none", "none", 1, 10, 0)
    return Timeline("told", run, Script(title, stages, requests, {}), frames, {}, tuple(unmet))
