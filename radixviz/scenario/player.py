"""The player: runs a scenario on an engine, stage by stage, into a Timeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request
from radixviz.engine.runner import ModelRunner
from radixviz.engine.tokenizer import Tokenizer
from radixviz.errors import BadPageSize, BadPoolPages
from radixviz.events import Emit, Event, NodeEvicted, NodeSplit
from radixviz.recorder import Recorder
from radixviz.scenario.expectations import unmet_in
from radixviz.scenario.naming import Naming
from radixviz.scenario.prompts import prompt_ids
from radixviz.scenario.schema import QuestionSpec, RequestSpec, Scenario, StageSpec, StopSpec
from radixviz.scenario.script import script_of
from radixviz.timeline import Frame, RunInfo, StageKey, Timeline, Unmet

OnStage = Callable[[StageKey], None]
OnFirstToken = Callable[[str, float], None]
OnTimeline = Callable[[Timeline], None]
IsCancelled = Callable[[], bool]


class PlayCancelled(Exception):
    """The play was called off; no fault, so there are no words for it."""


def play(
    scenario: Scenario,
    runner: ModelRunner,
    tokenizer: Tokenizer,
    *,
    run: RunInfo,
    follow_stop_tokens: bool = True,
    now: Callable[[], float] = lambda: 0.0,
    on_stage: OnStage | None = None,
    on_first_token: OnFirstToken | None = None,
    on_timeline: OnTimeline | None = None,
    on_event: Emit | None = None,
    is_cancelled: IsCancelled | None = None,
) -> Timeline:
    """Play every stage and return what happened; what the scenario expected and did not happen is in `unmet`.

    `run` names what computes and says page size and pool. Without `follow_stop_tokens` every reply has the scenario's
    length, whatever the model would say: so a dry run can tell what will fit. `on_stage` is told each stage before it
    runs, `on_first_token` the seconds from each request to its first token: measured times are not in the timeline.
    `on_timeline` is told what there is so far, after each stage but the last, and `on_event` what the engine tells.
    `is_cancelled` is asked before each step of the engine; once it is true the stage's requests are cancelled.

    Raises PlayCancelled then, with nothing running and no page held by a request.
    """
    if run.page_size < 1:
        raise BadPageSize(run.page_size)
    if run.pool_pages < 1:
        raise BadPoolPages(run.pool_pages)
    stop_tokens = tokenizer.stop_token_ids if follow_stop_tokens else ()
    play = _Play(scenario, runner, tokenizer, run, stop_tokens, now, on_event, is_cancelled)
    return play.timeline(on_stage, on_first_token, on_timeline)


class _Play:
    """One run of a scenario: its engine, what its frames are recorded by, and the conversations so far."""

    def __init__(
        self,
        scenario: Scenario,
        runner: ModelRunner,
        tokenizer: Tokenizer,
        run: RunInfo,
        stop_token_ids: tuple[int, ...],
        now: Callable[[], float],
        on_event: Emit | None,
        is_cancelled: IsCancelled | None,
    ) -> None:
        self._scenario = scenario
        self._tokenizer = tokenizer
        self._run = run
        self._stop_token_ids = stop_token_ids
        self._recorder = Recorder()
        self._is_cancelled = is_cancelled or (lambda: False)
        emit = self._recorder.emit if on_event is None else _both(self._recorder.emit, on_event)
        cache = RadixCache(run.page_size, emit=emit)
        self._engine = Engine(cache, PagePool(run.pool_pages, run.page_size), runner, emit=emit, now=now)
        self._recorder.watch(self._engine)
        self._conversations: dict[str, tuple[int, ...]] = {}

    def timeline(
        self, on_stage: OnStage | None, on_first_token: OnFirstToken | None, on_timeline: OnTimeline | None
    ) -> Timeline:
        naming = Naming(self._scenario)
        frames, unmet = list[Frame](), list[Unmet]()
        for spec in self._scenario.stage:
            if on_timeline and frames:
                on_timeline(self._told(frames, naming.unmet + unmet))
            if on_stage:
                on_stage(spec.stage)
            stage_frames = naming.stage(self._play_stage(spec))
            missed = tuple(unmet_in(spec, stage_frames))
            unmet.extend(missed)
            asked = _mark_questions(spec, stage_frames)
            frames.extend(_mark_stops(spec, asked) if self._is_as_written(unmet) else asked)
        if on_first_token:
            for sequence in self._engine.sequences.values():
                on_first_token(sequence.sequence_id, sequence.first_token_seconds or 0.0)
        return self._told(frames, naming.unmet + unmet)

    def _told(self, frames: list[Frame], unmet: list[Unmet]) -> Timeline:
        stages = [spec.stage for spec in self._scenario.stage]
        return Timeline(
            scenario=self._scenario.id,
            run=self._run,
            script=script_of(self._scenario, self._tokenizer, taught=bool(self._stop_token_ids)),
            frames=tuple(frames),
            token_bytes=self._token_bytes(frames),
            unmet=tuple(sorted(unmet, key=lambda one: stages.index(one.stage))),
        )

    def _is_as_written(self, unmet: list[Unmet]) -> bool:
        """Return whether the author's sentences are true so far; where they are not, the plain ones are.

        They count pages of the scenario's own size, and speak of what has happened before.
        """
        return not unmet and self._run.page_size == self._scenario.page_size

    def _play_stage(self, spec: StageSpec) -> list[Frame]:
        first = len(self._recorder.frames)
        self._recorder.begin_stage(spec.stage)
        requests = [self._request(self._find(request_id)) for request_id in spec.requests]
        for request in requests:
            self._engine.submit(request)
        while self._engine.has_work:
            if self._is_cancelled():
                self._cancel(requests)
            self._engine.step()
        for request in requests:
            self._keep_conversations(request)
        self._recorder.end_stage()
        return self._recorder.frames[first:]

    def _cancel(self, requests: list[Request]) -> NoReturn:
        for request in requests:
            self._engine.cancel(request.request_id)
        raise PlayCancelled

    def _find(self, request_id: str) -> RequestSpec:
        found = self._scenario.find_request(request_id)
        assert found is not None, "the loader has checked that every stage asks known requests"
        return found

    def _request(self, spec: RequestSpec) -> Request:
        return Request(
            request_id=spec.id,
            prompt_ids=prompt_ids(self._scenario, spec, self._tokenizer, self._conversations),
            max_new_tokens=max(spec.reply_lengths()),
            sample_limits=spec.reply_lengths(),
            stop_token_ids=self._stop_token_ids,
            samples=spec.samples,
            temperature=spec.temperature,
        )

    def _keep_conversations(self, request: Request) -> None:
        """Keep what a later turn goes on from, without the stop token that a reply may end with.

        Stop tokens that are not followed are dropped too: else the next turn of a chat would close the reply again.
        """
        for sequence_id in request.sequence_ids():
            token_ids = self._engine.sequences[sequence_id].token_ids
            is_closed = token_ids[-1] in self._tokenizer.stop_token_ids
            self._conversations[sequence_id] = tuple(token_ids[:-1] if is_closed else token_ids)

    def _token_bytes(self, frames: list[Frame]) -> dict[int, bytes]:
        used = {token for frame in frames for view in frame.sequences for token in view.token_ids}
        return {token: self._tokenizer.token_bytes(token) for token in sorted(used)}


def _both(first: Emit, second: Emit) -> Emit:
    def emit(event: Event) -> None:
        first(event)
        second(event)

    return emit


def _mark_stops(spec: StageSpec, frames: list[Frame]) -> list[Frame]:
    """Return the frames with the author's stops marked; a stop whose moment did not come is left out."""
    marked = list(frames)
    for number, stop in enumerate(spec.stops):
        position = _position(stop, frames)
        if position is not None:
            marked[position] = replace(marked[position], stop=number)
    return marked


def _mark_questions(spec: StageSpec, frames: list[Frame]) -> list[Frame]:
    """Return the frames with the questions marked: of any run, as the right answers are computed from its frames."""
    marked = list(frames)
    for number, question in enumerate(spec.questions):
        position = _position(question, frames)
        if position is not None:
            marked[position] = replace(marked[position], question=number)
    return marked


def _position(spec: StopSpec | QuestionSpec, frames: list[Frame]) -> int | None:
    fitting = [position for position, frame in enumerate(frames) if _fits(spec, frame)]
    wanted = spec.nth - 1 if spec.nth > 0 else len(fitting) + spec.nth
    return fitting[wanted] if 0 <= wanted < len(fitting) else None


def _fits(stop: StopSpec | QuestionSpec, frame: Frame) -> bool:
    evicts = any(isinstance(event, NodeEvicted) for event in frame.events)
    splits = any(isinstance(event, NodeSplit) for event in frame.events)
    if stop.event == "evict" and not evicts:
        return False
    if stop.event is None and evicts:
        return False
    if stop.event == "split" and not splits:
        return False
    return frame.phase == stop.phase and (stop.sequence is None or stop.sequence in frame.requests)
