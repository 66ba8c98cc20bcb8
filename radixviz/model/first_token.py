"""Measures the time to the first token through the whole engine: tree, pool and model."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from radixviz.cache.key import RadixKey
from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request
from radixviz.engine.runner import DecodeRow, ExtendRow, ModelRunner, Sampled
from radixviz.model.device import synchronize
from radixviz.model.flops import forward_flops
from radixviz.model.kv_tensors import KVTensors, SlotChoice
from radixviz.model.loader import LoadedModel, build_runner
from radixviz.model.torch_runner import TorchRunner
from radixviz.proof import FirstToken, Split

Clock = Callable[[], float]
PAGE_SIZE = 1


@dataclass(slots=True)
class Stopwatch:
    """A clock that is read when the device is idle, and the seconds spent in named parts."""

    clock: Clock
    device: torch.device

    @property
    def is_free(self) -> bool:
        """Whether reading it takes next to nothing: a CPU has done its work when the call returns."""
        return self.device.type == "cpu"

    def now(self) -> float:
        """Return the time once all work that was given to the device is done."""
        synchronize(self.device)
        return self.clock()


class TimedTensors(KVTensors):
    """The pool's memory, with a stopwatch around what reads it while there is one."""

    watch: Stopwatch | None = None
    read_seconds = 0.0

    def read(self, layer: int, slots: SlotChoice) -> tuple[torch.Tensor, torch.Tensor]:
        """As without a stopwatch."""
        if self.watch is None:
            return super().read(layer, slots)
        begun = self.watch.now()
        found = super().read(layer, slots)
        self.read_seconds += self.watch.now() - begun
        return found


class TimedRunner:
    """A runner with a stopwatch around its prefill."""

    def __init__(self, runner: TorchRunner, watch: Stopwatch) -> None:
        self._runner = runner
        self._watch = watch
        self.extend_seconds = 0.0

    @property
    def max_positions(self) -> int:
        """As the protocol says."""
        return self._runner.max_positions

    def extend(self, rows: Sequence[ExtendRow]) -> list[tuple[Sampled, ...]]:
        """As the protocol says."""
        begun = self._watch.now()
        found = self._runner.extend(rows)
        self.extend_seconds += self._watch.now() - begun
        return found

    def decode(self, rows: Sequence[DecodeRow]) -> list[Sampled]:
        """As the protocol says."""
        return self._runner.decode(rows)

    def copy_slots(self, source: Sequence[int], target: Sequence[int]) -> None:
        """As the protocol says."""
        self._runner.copy_slots(source, target)


class FirstTokenBench:
    """One prompt and a pool that holds it; each run begins with a tree that has the first part of the prompt.

    K and V of the whole prompt stay in the same slots from the first run on, so a run only has to put the part that
    counts as cached into a new tree: nothing is computed for that. `scattered` shuffles the pages, as a pool looks that
    has served for a while; else they follow one another. `room` is how many pages there are beyond the prompt's.
    """

    def __init__(
        self, loaded: LoadedModel, tokens: Sequence[int], clock: Clock, *, scattered: bool = False, room: int = 1
    ) -> None:
        """Compute the prompt once. Raises ModelRefused: reason "out_of_memory"."""
        self.loaded = loaded
        self.tokens = tuple(tokens)
        self.watch = Stopwatch(clock, loaded.model.device)
        self.runner = build_runner(loaded, len(tokens) + room, PAGE_SIZE, tensors=TimedTensors)
        self._order = list(range(1, len(tokens) + room + 1))
        if scattered:
            random.Random(0).shuffle(self._order)
        self.seconds(0)

    def seconds(self, cached: int) -> float:
        """Return the time from submitting the request to its first token."""
        return self._run(cached, TimedRunner(self.runner, self.watch))

    def split(self, cached: int) -> Split:
        """Return where the time goes, in one run with stopwatches inside."""
        tensors, runner = self.runner.tensors, TimedRunner(self.runner, self.watch)
        assert isinstance(tensors, TimedTensors)
        tensors.watch, tensors.read_seconds = self.watch, 0.0
        whole = self._run(cached, runner)
        tensors.watch = None
        inside, read = runner.extend_seconds, tensors.read_seconds
        return Split(1000 * (whole - inside), 1000 * read, 1000 * (inside - read))

    def _run(self, cached: int, runner: TimedRunner) -> float:
        engine = self.engine(cached, runner)
        engine.submit(Request("r", self.tokens, 1))
        engine.step()
        sequence = engine.sequences["r"]
        assert sequence.cached_tokens == cached
        assert sequence.first_token_seconds is not None
        return sequence.first_token_seconds

    def engine(self, cached: int, runner: ModelRunner) -> Engine:
        """Return a new engine whose tree has the first `cached` tokens, in the slots that hold their K and V."""
        pool = PagePool(len(self._order), PAGE_SIZE)
        pool.allocate(len(self._order))
        pool.free(self._order)  # from now on pages are handed out in this order
        cache = RadixCache(PAGE_SIZE)
        slots = pool.slots_of(pool.allocate(cached))
        if cached:
            cache.insert(RadixKey(self.tokens[:cached]), slots)
        return Engine(cache, pool, runner, now=self.watch.now)


def measure_first_tokens(bench: FirstTokenBench, hits: Sequence[float], repeats: int) -> tuple[FirstToken, ...]:
    """Return a row for each hit rate, medians of `repeats` rounds in which all of them take turns.

    The first hit rate must be 0: the others are given as parts of it. Where the stopwatch is free, the parts of a time
    are those of the same runs; else there are as many rounds more for them.
    """
    count = len(bench.tokens)
    cached = [round(hit * count) for hit in hits]
    plain = [] if bench.watch.is_free else [[bench.seconds(each) for each in cached] for _ in range(repeats)]
    splits = [[bench.split(each) for each in cached] for _ in range(repeats)]
    whole = [[1000 * each for each in times] for times in plain] or [[one.whole_ms for one in row] for row in splits]
    medians = [statistics.median(times) for times in zip(*whole, strict=True)]
    flops = forward_flops(bench.loaded.model, bench.loaded.shape)
    return tuple(
        FirstToken(
            hit=hit,
            cached_tokens=cached[place],
            ms=medians[place],
            ratio_to_full=medians[place] / medians[0],
            bound=flops.bound(cached[place], count),
            flops_saved=flops.of(0, count) - flops.of(cached[place], count),
            kv_bytes_saved=cached[place] * bench.runner.tensors.kv_bytes_per_token,
            split=_median([one[place] for one in splits]),
        )
        for place, hit in enumerate(hits)
    )


def _median(splits: Sequence[Split]) -> Split:
    parts = zip(*((one.match_ms, one.gather_ms, one.forward_ms) for one in splits), strict=True)
    return Split(*(statistics.median(part) for part in parts))
