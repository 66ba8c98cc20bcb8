"""Measures the time to the first token: `python benchmarks/ttft.py [--model tiny|smollm2|FOLDER] [--threads N]`.

All in one run, float32, a prompt of 1,000 tokens, medians of at least five rounds in which everything takes turns:

    ours          through the whole engine: tree, pool, model; with pages in order, and with pages that lie scattered
    bound         the FLOPs of what is left to compute, over those of the whole prompt (docs/proof.md)
    DynamicCache  transformers alone: the same suffix continued from a prefix that it has computed and kept itself
    generate      transformers' own prefill of the whole prompt, and its decoding at 1,000 tokens

It prints a table and fails nobody; times depend on the machine, the ratios much less.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import torch  # noqa: E402
from transformers.cache_utils import DynamicCache  # noqa: E402

from radixviz.engine.request import Request  # noqa: E402
from radixviz.errors import RadixVizError  # noqa: E402
from radixviz.model.first_token import Clock, FirstTokenBench  # noqa: E402
from radixviz.model.flops import forward_flops  # noqa: E402
from radixviz.model.loader import LoadedModel, load  # noqa: E402
from radixviz.model.prove import long_prompt  # noqa: E402
from radixviz.render.explain import explain  # noqa: E402

HITS = (0.5, 0.9, 0.99)
DECODED = 16
ROUNDS = 5


class Transformers:
    """The same work by transformers alone."""

    def __init__(self, loaded: LoadedModel, tokens: Sequence[int], clock: Clock) -> None:
        self._loaded = loaded
        self._clock = clock
        self._tokens = torch.tensor([list(tokens)])
        self._prefixes = {hit: self._prefix(round(hit * len(tokens))) for hit in HITS}

    def continued(self, hit: float) -> float:
        """Return the seconds from a kept prefix to the next token."""
        cache = copy.deepcopy(self._prefixes[hit])
        cached = cache.get_seq_length()
        return timed(lambda: self._forward(self._tokens[:, cached:], cached, cache), self._clock)

    def generated(self, count: int) -> float:
        """Return the seconds of `generate` for so many tokens."""
        module: Any = self._loaded.model.module
        options = {"do_sample": False, "max_new_tokens": count, "min_new_tokens": count, "pad_token_id": 0}
        mask = torch.ones_like(self._tokens)
        return timed(lambda: module.generate(self._tokens, attention_mask=mask, **options), self._clock)

    def _prefix(self, cached: int) -> DynamicCache:
        cache = DynamicCache(config=self._loaded.model.config)
        self._forward(self._tokens[:, :cached], 0, cache)
        return cache

    def _forward(self, tokens: torch.Tensor, cached: int, cache: DynamicCache) -> None:
        positions = torch.arange(cached, cached + tokens.shape[1])[None]
        int(self._loaded.model.next_logits(tokens, positions, cache)[0].argmax())


def timed(work: Callable[[], object], clock: Clock) -> float:
    """Return the seconds that it takes."""
    begun = clock()
    work()
    return clock() - begun


def decode_seconds(bench: FirstTokenBench) -> float:
    """Return the seconds that our engine needs for one token more, after a prompt whose K and V are there."""
    engine = bench.engine(len(bench.tokens) - 1, bench.runner)
    engine.submit(Request("r", bench.tokens, 1 + DECODED))
    engine.step()
    return timed(engine.run, bench.watch.now) / DECODED


def measure(loaded: LoadedModel, rounds: int, clock: Clock) -> dict[str, float]:
    """Return the medians by name, in seconds."""
    tokens = long_prompt(loaded)
    theirs = Transformers(loaded, tokens, clock)
    ours = {name: FirstTokenBench(loaded, tokens, clock, scattered=name == POOLS[1], room=DECODED) for name in POOLS}
    work: dict[str, Callable[[], float]] = {"full": lambda: ours["in order"].seconds(0)}
    work["generate"] = lambda: theirs.generated(1)
    for hit in HITS:
        cached = round(hit * len(tokens))
        for name, bench in ours.items():
            work[f"{name} {hit}"] = lambda bench=bench, cached=cached: bench.seconds(cached)  # type: ignore[misc]
        work[f"DynamicCache {hit}"] = lambda hit=hit: theirs.continued(hit)  # type: ignore[misc]
    for name, bench in ours.items():
        work[f"decode {name}"] = lambda bench=bench: decode_seconds(bench)  # type: ignore[misc]
    work["generate more"] = lambda: theirs.generated(1 + DECODED)
    times = [{name: run() for name, run in work.items()} for _ in range(rounds)]
    found = {name: statistics.median(one[name] for one in times) for name in work}
    found["decode generate"] = statistics.median((one["generate more"] - one["generate"]) / DECODED for one in times)
    return found


POOLS = ("in order", "scattered")


def main() -> None:
    """Print the tables."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--model", default="tiny")
    asked.add_argument("--threads", type=int, default=1)
    asked.add_argument("--rounds", type=int, default=ROUNDS)
    asked.add_argument("--processor-time", action="store_true", help="of one thread: for a machine that others use too")
    options = asked.parse_args()
    if options.processor_time and options.threads > 1:
        asked.error("--processor-time adds up what several threads take at the same time: use it with one")
    clock, unit = (time.process_time, "processor") if options.processor_time else (time.perf_counter, "wall")
    try:
        loaded = load(options.model, threads=options.threads)
    except RadixVizError as error:
        asked.error(explain(error, "en"))
    flops = forward_flops(loaded.model, loaded.shape)
    found, count = measure(loaded, options.rounds, clock), len(long_prompt(loaded))
    threads = f"{options.threads} {'thread' if options.threads == 1 else 'threads'}"
    print(f"{loaded.name}, float32, {threads}, {count} tokens, {unit} time, medians of {options.rounds}\n")
    print("| hit | pages | ms | of full | bound | x bound | x DynamicCache |\n|---|---|---|---|---|---|---|")
    for hit in HITS:
        for name in POOLS:
            ms, bound = found[f"{name} {hit}"], flops.bound(round(hit * count), count)
            ratios = (ms / found["full"], bound, ms / found["full"] / bound, ms / found[f"DynamicCache {hit}"])
            shown = "{:.3f} | {:.3f} | {:.2f} | {:.2f}".format(*ratios)
            print(f"| {hit:.0%} | {name} | {1000 * ms:.1f} | {shown} |")
    print("\n| | ours ms | generate ms | ratio |\n|---|---|---|---|")
    for label, mine, yours in (
        ("full prefill", "full", "generate"),
        ("decode, pages in order", "decode in order", "decode generate"),
        ("decode, pages scattered", "decode scattered", "decode generate"),
    ):
        ratio = found[mine] / found[yours]
        print(f"| {label} | {1000 * found[mine]:.1f} | {1000 * found[yours]:.1f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
