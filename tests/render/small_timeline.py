"""Timelines made by hand: a few nodes, one byte a token, so that whole answers can be written down."""

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
)

BYTES: Mapping[int, bytes] = {value: bytes([value]) for value in range(256)}


def ids(text: str | bytes) -> tuple[int, ...]:
    """Return one token for each byte."""
    return tuple(text.encode() if isinstance(text, str) else text)


def node(node_id: int, parent_id: int | None, text: str | bytes, *, slot: int = 1, lock_ref: int = 0) -> NodeView:
    """Return a node whose slots begin at `slot`."""
    tokens = ids(text)
    slots = tuple(range(slot, slot + len(tokens)))
    return NodeView(node_id, parent_id, (None, None, None, None), tokens, slots, lock_ref, 1, 0, node_id, node_id)


def sequence(
    text: str | bytes,
    spans: Sequence[TokenSpan],
    *,
    name: str = "A1",
    sample: int = 1,
    samples: int = 1,
    state: str = "running",
    node_id: int | None = None,
    tail: Sequence[int] = (),
    prompt_len: int | None = None,
) -> SequenceView:
    """Return a sequence whose prompt is everything that is not generated."""
    tokens = ids(text)
    generated = sum(span.count for span in spans if span.kind == "generated")
    reused = sum(span.count for span in spans if span.kind == "reused")
    return SequenceView(
        sequence_id=name if samples == 1 else f"{name}#{sample}",
        request_id=name,
        sample=sample,
        samples=samples,
        prompt_len=len(tokens) - generated if prompt_len is None else prompt_len,
        token_ids=tokens,
        spans=tuple(spans),
        prefix_len=reused,
        cached_tokens=reused,
        stop_token=False,
        state=state,  # type: ignore[arg-type]
        node_id=node_id,
        tail_len=len(tail),
        tail_pages=tuple(tail),
    )


def frame(
    nodes: Sequence[NodeView] = (),
    marks: Mapping[int, NodeMark] | None = None,
    *,
    index: int = 0,
    stage: StageKey = 1,
    stage_frame: int = 1,
    phase: Phase = "done",
    ghosts: Sequence[Ghost] = (),
    missing: Sequence[Missing] = (),
    sequences: Sequence[SequenceView] = (),
    events: Sequence[Event] = (),
    pages: int = 20,
) -> Frame:
    """Return a frame of page size 1 whose pool follows from its nodes and the sequences' tails."""
    held = {slot: (item.node_id, "locked" if item.lock_ref else "cached") for item in nodes for slot in item.slots}
    tails = {page: (one.sequence_id, "running") for one in sequences for page in one.tail_pages}
    views = tuple(_page(page, {**held, **tails}) for page in range(1, pages + 1))
    return Frame(
        index=index,
        stage=stage,
        stage_frame=stage_frame,
        phase=phase,
        requests=tuple(one.sequence_id for one in sequences),
        events=tuple(events),
        tree=TreeSnapshot(1, tuple(nodes), 0, 0),
        ghosts=tuple(ghosts),
        missing=tuple(missing),
        pool=PoolSnapshot(1, views),
        sequences=tuple(sequences),
        queue=Queue(),
        metrics=Metrics(2, 40, 10, 30, 0, 5, 0),
        labels=marks or {},
    )


def timeline(*frames: Frame, token_bytes: Mapping[int, bytes] = BYTES, pages: int = 20) -> Timeline:
    """Return a timeline of these frames with a script that knows the request A1 and the name SYS."""
    words = {"en": "Stage", "zh": "阶段"}
    stages = tuple(dict.fromkeys(item.stage for item in frames))
    infos = tuple(StageInfo(stage, words, words, (StopInfo(words, words),), ("A1",)) for stage in stages)
    label = {"en": "session A, turn 1", "zh": "会话 A，第 1 轮"}
    script = Script(
        title=words,
        stages=infos,
        requests={"A1": RequestInfo("A1", label, label, "", "", ())},
        names={"SYS": {"en": "the shared system prompt", "zh": "共用的系统提示"}},
    )
    run = RunInfo("tiny", "cpu", "float32", 1, pages, 3072)
    return Timeline("small", run, script, tuple(frames), token_bytes)


def _page(page: int, holders: Mapping[int, tuple[int | str, str]]) -> PageView:
    holder, state = holders.get(page, (None, "free"))
    return PageView(page, state, holder)  # type: ignore[arg-type]
