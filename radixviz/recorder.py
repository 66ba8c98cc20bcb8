"""Recorder: cuts what an engine tells into frames, each taken at the moment it shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from radixviz.cache.snapshot import NodeView, TreeSnapshot
from radixviz.engine.engine import Engine
from radixviz.engine.metrics import MetricsFold
from radixviz.engine.page_map import own_pages
from radixviz.engine.request import Sequence
from radixviz.events import (
    Event,
    NodeAdded,
    NodeEvicted,
    NodeSplit,
    PagesFreed,
    PageShort,
    Phase,
    PhaseClosed,
    RequestArrived,
    RequestMatched,
    SequenceCached,
    TokenSampled,
    TokensComputed,
)
from radixviz.timeline import Frame, Ghost, Look, Missing, NodeMark, Queue, SequenceView, StageKey, TokenKind, TokenSpan


@dataclass(frozen=True, slots=True)
class _Gone:
    """An evicted node as it was, and when it went."""

    node: NodeView
    stage: StageKey
    frame: int


class Recorder:
    """The sink of an engine's events. `watch` gives it the engine; stages are begun and ended from outside.

    A frame closes with each phase of each batch; every eviction is a frame of its own, and a stretch of decoding ends
    where an eviction begins. The frames have no names and letters yet: those are the scenario's.
    """

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self._fold = MetricsFold()
        self._engine: Engine | None = None
        self._stage: StageKey = 1
        self._pending: list[Event] = []
        self._tree = TreeSnapshot(1, (), 0, 0)
        self._gone: dict[int, _Gone] = {}
        self._begin()

    def _begin(self) -> None:
        self._first_frame = len(self.frames)
        self._sequence_ids: list[str] = []
        self._new: set[int] = set()
        self._hit: set[int] = set()
        self._repeats: dict[int, int] = {}
        self._missing: dict[str, Missing] = {}

    def watch(self, engine: Engine) -> None:
        """Take frames of this engine, whose events must come to `emit`."""
        self._engine = engine
        self._tree = engine.tree()

    def begin_stage(self, stage: StageKey) -> None:
        """Start a stage: looks and ghosts are those of one stage."""
        self._stage = stage
        self._begin()

    def end_stage(self) -> None:
        """Close the stage with a frame of its result."""
        self._close("done", tuple(self._sequence_ids))

    def emit(self, event: Event) -> None:
        """Take one event in; at the end of a phase, or of an eviction, take a frame."""
        if isinstance(event, PageShort) and event.phase == "decode" and self._has_tokens():
            self._close("decode", self._running_ids())
        self._fold.note(event)
        self._pending.append(event)
        self._note(event)
        match event:
            case PhaseClosed(phase="decode") if not self._has_tokens():
                pass
            case PhaseClosed():
                self._close(event.phase, event.sequence_ids)
            case PagesFreed(reason="evicted"):
                self._close(self._eviction_phase(), (event.sequence_id,))
            case _:
                pass

    def _note(self, event: Event) -> None:
        match event:
            case RequestArrived():
                self._sequence_ids.extend(event.sequence_ids)
            case RequestMatched():
                self._hit.update(event.path if event.prefix_len else ())
                self._note_missing(event)
            case NodeAdded():
                self._new.add(event.node_id)
            case NodeSplit() if event.node_id in self._new:
                self._new.add(event.upper_id)
            case NodeEvicted():
                node = self._tree.node(event.node_id) or self._node_of(event)
                self._gone[event.node_id] = _Gone(node, self._stage, len(self.frames))
            case TokensComputed():
                self._missing.pop(event.sequence_id, None)
            case SequenceCached(finished=True) if event.node_id is not None and event.prefix_len == event.length:
                self._note_repeat(event.sequence_id, event.node_id)
            case _:
                pass

    def _note_missing(self, event: RequestMatched) -> None:
        """Remember that this look-up ended where an evicted edge once went on."""
        request = self._sequence(event.sequence_id).request
        edge = self._fold.history.evicted_edge(request.namespace, request.prompt_ids, event.prefix_len)
        if edge is not None:
            self._missing[event.sequence_id] = Missing(
                sequence_id=event.sequence_id,
                parent_id=event.path[-1] if event.path else None,
                node_id=edge.node_id,
                tokens=len(edge.token_ids),
                name=None,
                letter=None,
                evicted_in_stage=self._gone[edge.node_id].stage,
            )

    def _note_repeat(self, sequence_id: str, node_id: int) -> None:
        """A sample whose whole answer was there: the node that holds it repeats that sample."""
        sequence = self._sequence(sequence_id)
        if sequence.request.samples > 1 and node_id not in self._new and node_id not in self._hit:
            self._repeats[node_id] = sequence.sample

    def _close(self, phase: Phase, sequence_ids: tuple[str, ...]) -> None:
        engine = self._engine
        assert engine is not None, "watch() comes first"
        self._tree = engine.tree()
        ghosts = tuple(Ghost(gone.node, gone.frame) for gone in self._gone.values() if gone.frame >= self._first_frame)
        self.frames.append(
            Frame(
                index=len(self.frames),
                stage=self._stage,
                stage_frame=len(self.frames) - self._first_frame + 1,
                phase=phase,
                requests=sequence_ids,
                events=tuple(self._pending),
                tree=self._tree,
                ghosts=ghosts,
                missing=tuple(self._missing.values()),
                pool=engine.page_map(),
                sequences=tuple(self._views(engine)),
                queue=Queue(engine.waiting, engine.running),
                metrics=self._fold.totals,
                labels=self._labels(ghosts),
            )
        )
        self._pending = []

    def _labels(self, ghosts: tuple[Ghost, ...]) -> Mapping[int, NodeMark]:
        labels = {
            node.node_id: NodeMark(self._look(node), repeats=self._repeats.get(node.node_id))
            for node in self._tree.nodes
        }
        return labels | {ghost.node.node_id: NodeMark("evicted") for ghost in ghosts}

    def _look(self, node: NodeView) -> Look:
        if node.node_id in self._new:
            return "new"
        return "hit" if node.node_id in self._hit else "cached"

    def _views(self, engine: Engine) -> list[SequenceView]:
        page_size = self._tree.page_size
        known = [engine.sequences[name] for name in self._sequence_ids if name in engine.sequences]
        return [_view(sequence, page_size, self._fold.again, engine) for sequence in known]

    def _sequence(self, sequence_id: str) -> Sequence:
        assert self._engine is not None, "watch() comes first"
        return self._engine.sequences[sequence_id]

    def _has_tokens(self) -> bool:
        return any(isinstance(event, TokenSampled) for event in self._pending)

    def _running_ids(self) -> tuple[str, ...]:
        assert self._engine is not None, "watch() comes first"
        return self._engine.running

    def _eviction_phase(self) -> Phase:
        return next(event.phase for event in reversed(self._pending) if isinstance(event, PageShort))

    def _node_of(self, event: NodeEvicted) -> NodeView:
        """Return an evicted node that no frame has shown: its bookkeeping is not known any more."""
        return NodeView(event.node_id, event.parent_id, (None,) * 4, event.token_ids, event.slots, 0, 0, 0, 0, 0)


def _view(sequence: Sequence, page_size: int, again: Mapping[str, tuple[bool, ...]], engine: Engine) -> SequenceView:
    request = sequence.request
    running = sequence.sequence_id in engine.running
    finished = sequence.finish_reason is not None and not running
    tail = own_pages(sequence, page_size) if running else []
    return SequenceView(
        sequence_id=sequence.sequence_id,
        request_id=request.request_id,
        sample=sequence.sample,
        samples=request.samples,
        prompt_len=sequence.prompt_len,
        token_ids=tuple(sequence.token_ids),
        spans=_spans(sequence, again.get(sequence.sequence_id, ())),
        prefix_len=sequence.prefix_len,
        cached_tokens=sequence.cached_tokens,
        stop_token=sequence.finish_reason == "stop",
        state="finished" if finished else "running" if running else "waiting",
        node_id=sequence.node.node_id if sequence.node and sequence.node.parent else None,
        tail_len=max(0, sequence.computed_len - sequence.tree_len) if running else 0,
        tail_pages=tuple(tail),
    )


def _spans(sequence: Sequence, again: tuple[bool, ...]) -> tuple[TokenSpan, ...]:
    """Return the runs of equal kind of a sequence's tokens; one that has a reply has computed its whole prompt once."""
    kinds: list[TokenKind] = ["reused"] * sequence.cached_tokens
    computed_len = sequence.prompt_len if sequence.output_ids else sequence.computed_len
    for position in range(sequence.cached_tokens, sequence.prompt_len):
        was_evicted = position < len(again) and again[position]
        kinds.append("pending" if position >= computed_len else "again" if was_evicted else "computed")
    kinds.extend(["generated"] * len(sequence.output_ids))
    spans: list[TokenSpan] = []
    for kind in kinds:
        if spans and spans[-1].kind == kind:
            spans[-1] = TokenSpan(kind, spans[-1].count + 1)
        else:
            spans.append(TokenSpan(kind, 1))
    return tuple(spans)
