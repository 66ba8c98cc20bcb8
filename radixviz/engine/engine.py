"""Engine: runs requests on a prefix cache, a page pool and a model, one step at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from radixviz.cache.page_pool import PagePool
from radixviz.cache.prefix_cache import PrefixCache
from radixviz.cache.snapshot import PoolSnapshot, TreeSnapshot
from radixviz.engine.batching import Batching, StepBudget
from radixviz.engine.intake import Ends, Intake
from radixviz.engine.integrity import check_engine
from radixviz.engine.page_map import page_map
from radixviz.engine.prefix_use import PrefixUse
from radixviz.engine.request import Request, Sequence
from radixviz.engine.request_check import check_request
from radixviz.engine.rows import decode_row, extend_row
from radixviz.engine.runner import ModelRunner, Sampled
from radixviz.engine.samples import Samples
from radixviz.engine.schedule import FirstComeFirstServed, SchedulePolicy
from radixviz.engine.scheduler import Scheduler
from radixviz.engine.slot_allocator import SlotAllocator
from radixviz.errors import PageSizeMismatch, PoolExhausted, ResetRefused
from radixviz.events import (
    Emit,
    Event,
    Phase,
    PhaseClosed,
    PrefillPaused,
    RequestArrived,
    SequenceCancelled,
    SequenceFinished,
    SequenceRetracted,
    TokenSampled,
    TokensComputed,
)


class Engine:
    """Serves requests in steps; everything it does is told to `emit`.

    A step takes waiting requests in (match, lock, extend) or, when none comes in, decodes one token for every running
    sequence (decode) and keeps what the finished ones computed (cache). Pages are evicted where one is short.

    `turn_as_one_edge` True, the tour's setting: a request is matched with its whole prompt, and at the finish its own
    new leaf grows by its output, so one request adds one edge (the figure of the SGLang paper). False is SGLang's way:
    matched without the last prompt token, the output a child of the prompt. Both reuse the same tokens at first, but
    bigger leaves free more at one eviction, so later hits can differ.

    `schedule` says in which order waiting requests are tried (default: first come, first served), `batching` how much
    is taken on at once; its budget of tokens and chunks of prompts are off by default.

    `now` is only read for times to the first token, which decide nothing.

    Raises PageSizeMismatch when cache and pool have pages of two sizes.
    """

    def __init__(
        self,
        cache: PrefixCache,
        pool: PagePool,
        runner: ModelRunner,
        *,
        turn_as_one_edge: bool = True,
        batching: Batching | None = None,
        schedule: SchedulePolicy | None = None,
        emit: Emit | None = None,
        now: Callable[[], float] = lambda: 0.0,
    ) -> None:
        if cache.page_size != pool.page_size:
            raise PageSizeMismatch(cache.page_size, pool.page_size)
        self._cache = cache
        self._pool = pool
        self._runner = runner
        self._emit: Emit = emit or _ignore
        self._now = now
        self._allocator = SlotAllocator(cache, pool, self._emit)
        self._prefix = PrefixUse(cache, pool, self._allocator, self._emit, turn_as_one_edge=turn_as_one_edge)
        look_up = partial(self._prefix.look_up, to_the_end=True)
        order = partial((schedule or FirstComeFirstServed()).order, look_up)
        self._batching = batching or Batching()
        self._scheduler = Scheduler(max_running=self._batching.most_running, order=order)
        self._intake = Intake(cache, pool, self._prefix, self._scheduler, self._batching, self._emit)
        self._samples = Samples(self._prefix, self._allocator, runner, self._emit)
        self._arrived: dict[str, float] = {}
        self._decoding: tuple[str, ...] = ()
        self._names = set[str]()  # of requests and sequences
        self.sequences: dict[str, Sequence] = {}
        """Every sequence by id, in order of coming: finished ones too."""

    @property
    def has_work(self) -> bool:
        """Whether a request waits or runs."""
        return self._scheduler.has_work

    @property
    def waiting(self) -> tuple[str, ...]:
        """The ids of the sequences that wait, in order."""
        return tuple(sequence.sequence_id for sequence in self._scheduler.waiting)

    @property
    def running(self) -> tuple[str, ...]:
        """The ids of the sequences that run, in order."""
        return tuple(sequence.sequence_id for sequence in self._scheduler.running)

    def submit(self, request: Request) -> None:
        """Put a request in the queue.

        Errors, with nothing changed: EmptyPrompt; BadTokenId; DuplicateRequest, also when a sequence of another request
        is called so; BadTokenCount for a count below 1; BadTemperature; PromptTooLong when prompt and reply need more
        positions than the model has; RequestTooLarge when one sequence alone needs more pages than the pool has.
        """
        check_request(request, taken=self._names, max_positions=self._runner.max_positions, pool=self._pool)
        ids = request.sequence_ids()
        self._names.update((request.request_id, *ids))
        first = Sequence(request, ids[0], 1, request.draw(1), list(request.prompt_ids), forks=request.samples - 1)
        self.sequences[ids[0]] = first
        self._arrived[request.request_id] = self._now()
        self._scheduler.waiting.append(first)
        self._emit(RequestArrived(request.request_id, ids, request.prompt_ids, request.namespace))

    def step(self) -> None:
        """Take requests in, or decode one token for all that run; without work, do nothing.

        With a limit of tokens for a step, do both: decode first, and prefill with what is left of it.
        """
        decoding = len(self._scheduler.decoding)
        budget = StepBudget(self._batching, self._pool.page_size, decoding=decoding)
        if self._batching.tokens_per_step is None:
            worked = self._prefill(budget) or self._decode()
        else:
            worked = self._decode()
            worked |= self._prefill(budget)
        if not worked and self._scheduler.waiting:
            raise self._exhausted(self._scheduler.waiting[0])

    def run(self) -> None:
        """Step until nothing waits or runs."""
        while self.has_work:
            self.step()

    def cancel(self, request_id: str) -> bool:
        """Call off what waits or runs of a request; False when nothing does.

        Its own pages are free again; what of it is in the tree stays there, held by nobody on its account.
        """
        waiting = [each for each in self._scheduler.waiting if each.request.request_id == request_id]
        running = [each for each in self._scheduler.running if each.request.request_id == request_id]
        if running:
            self._close_decoding()
        for sequence in running:
            self._prefix.give_back(sequence, "cancelled")
            self._scheduler.finish(sequence)
        for sequence in waiting:
            self._scheduler.waiting.remove(sequence)
        for sequence in (*waiting, *running):
            self._emit(SequenceCancelled(sequence.sequence_id))
        self._intake.reopen()
        return bool(waiting or running)

    def reset(self) -> None:
        """Drop the whole tree and free its pages. Raises ResetRefused, with nothing changed, unless idle (SGLang)."""
        if self.has_work:
            raise ResetRefused(len(self.running), len(self.waiting))
        nodes = self._cache.snapshot().nodes
        self._cache.reset()
        for node in nodes:
            self._pool.free(node.pages(self._pool.page_size))

    def tree(self) -> TreeSnapshot:
        """Return a frozen view of the cache."""
        return self._cache.snapshot()

    def page_map(self) -> PoolSnapshot:
        """Return a frozen view of every page: its state and its holder."""
        return page_map(self._pool, self._cache.snapshot(), self._scheduler.running)

    def check_integrity(self) -> None:
        """Raise IntegrityError when a law of the tree, the pool or the locks is broken."""
        self._cache.check_integrity()
        check_engine(self._cache.snapshot(), self._pool, self._scheduler)

    # prefill

    def _prefill(self, budget: StepBudget) -> bool:
        """Go on with the prompts that are not computed yet, and take new ones in; False when there is none."""
        ends = Ends()
        for sequence in self._scheduler.prefilling:
            ends[sequence] = budget.cut(sequence.computed_len, len(sequence.token_ids))
        candidates = [] if budget.is_spent else self._intake.candidates()
        if candidates:
            self._close_decoding()
            ends |= self._intake.take_in(candidates, budget)
        ends = {sequence: end for sequence, end in ends.items() if end > sequence.computed_len}
        if ends:
            self._close_decoding()
            self._extend(ends)
        return bool(ends)

    def _extend(self, ends: Ends) -> None:
        """Compute each sequence up to its end of this step, and put it into the tree ("cache, unfinished")."""
        for sequence, end in ends.items():
            self._reserve_or_retract(sequence, end, "extend")
        batch = [sequence for sequence in ends if sequence in self._scheduler.running]
        if not batch:
            return
        rows = [extend_row(sequence, ends[sequence]) for sequence in batch]
        results = self._runner.extend(rows)
        for sequence, row in zip(batch, rows, strict=True):
            self._computed(sequence, row.start, ends[sequence])
        for sequence, sampled in zip(batch, results, strict=True):
            if not sequence.prefilling:
                self._take_first_tokens(sequence, sampled)
        self._emit(PhaseClosed("extend", _ids(batch)))
        self._finish_done()

    def _computed(self, sequence: Sequence, start: int, end: int) -> None:
        sequence.computed_len, sequence.prefilling = end, end < len(sequence.token_ids)
        self._emit(TokensComputed(sequence.sequence_id, start, end))
        if sequence.prefilling:
            self._emit(PrefillPaused(sequence.sequence_id, end, len(sequence.token_ids)))
        self._prefix.store(sequence, end, finished=False)

    def _take_first_tokens(self, first: Sequence, sampled: tuple[Sampled, ...]) -> None:
        prompt_len = len(first.token_ids)
        forks = self._samples.branch(first)
        self.sequences.update((fork.sequence_id, fork) for fork in forks)
        self._scheduler.running.extend(forks)
        for sequence, token in zip([first, *forks], sampled, strict=True):
            self._take_token(sequence, token)
        for fork in forks:
            if not self._samples.copy_tail(first, fork, prompt_len):
                self._retract(fork)

    # decode

    def _decode(self) -> bool:
        """Feed every sequence that is past its prefill its last token and sample the next one; False without any."""
        for sequence in (waiting_for := self._scheduler.decoding):
            self._reserve_or_retract(sequence, len(sequence.token_ids), "decode")
        batch = self._scheduler.decoding
        rows = [decode_row(sequence) for sequence in batch]
        for sequence, sampled in zip(batch, self._runner.decode(rows) if rows else (), strict=True):
            sequence.computed_len = len(sequence.token_ids)
            self._take_token(sequence, sampled)
        self._decoding = tuple(dict.fromkeys((*self._decoding, *_ids(batch))))
        self._finish_done()
        return bool(waiting_for)

    def _reserve_or_retract(self, sequence: Sequence, length: int, phase: Phase) -> None:
        """Get slots for the first `length` tokens; with nothing left to evict, the youngest goes back to the queue."""
        while sequence in self._scheduler.running:
            if self._allocator.reserve(sequence, length, phase):
                return
            if len(self._scheduler.running) == 1:
                raise self._exhausted(sequence)
            self._close_decoding()
            self._retract(self._scheduler.running[-1])

    def _retract(self, sequence: Sequence) -> None:
        """Take its pages and locks away; it waits at the head of the queue with the tokens that it has."""
        self._prefix.give_back(sequence, "retracted")
        self._scheduler.send_back(sequence)
        self._intake.reopen()
        self._emit(SequenceRetracted(sequence.sequence_id))

    def _take_token(self, sequence: Sequence, sampled: Sampled) -> None:
        sequence.token_ids.append(sampled.token_id)
        sequence.draw = sampled.draw
        if sequence.first_token_seconds is None:
            sequence.first_token_seconds = self._now() - self._arrived[sequence.request.request_id]
        self._emit(TokenSampled(sequence.sequence_id, sampled.token_id))

    def _close_decoding(self) -> None:
        """End a stretch of decode steps, so that one picture can stand for all of them."""
        if self._decoding:
            self._emit(PhaseClosed("decode", self._decoding))
            self._decoding = ()

    # cache

    def _finish_done(self) -> None:
        """Finish those that have their last token: what they computed stays in the tree."""
        done = [sequence for sequence in self._scheduler.running if sequence.finish_reason is not None]
        if done:
            self._close_decoding()
        for sequence in done:
            self._finish(sequence)

    def _finish(self, sequence: Sequence) -> None:
        assert sequence.finish_reason is not None
        self._emit(SequenceFinished(sequence.sequence_id, sequence.finish_reason))
        self._prefix.store(sequence, sequence.computed_len, finished=True)
        self._allocator.release(sequence, sequence.tree_len, len(sequence.slots), "tail")
        sequence.slots = sequence.slots[: sequence.tree_len]
        self._prefix.let_go(sequence)
        self._scheduler.finish(sequence)
        self._intake.reopen()
        self._emit(PhaseClosed("cache", (sequence.sequence_id,)))

    def _exhausted(self, sequence: Sequence) -> PoolExhausted:
        return PoolExhausted(self._pool.pages_for(len(sequence.token_ids)), self._pool.free_pages)


def _ids(sequences: Iterable[Sequence]) -> tuple[str, ...]:
    return tuple(sequence.sequence_id for sequence in sequences)


def _ignore(event: Event) -> None:
    """Take no notice: the default sink."""
