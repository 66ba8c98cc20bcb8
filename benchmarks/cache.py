"""Measures the prefix cache: `python benchmarks/cache.py`. It prints tables and fails nobody.

    python benchmarks/cache.py [--runs 5] [--requests 20000]
    python benchmarks/cache.py --sglang FOLDER --sglang-python PYTHON    with SGLang's Rust core beside it

FOLDER holds an unpacked SGLang wheel, PYTHON has torch and what SGLang's mem_cache imports. The runs of all cores
alternate. Only the cache's own work is timed, on the thread's CPU clock: match, lock, evict, insert, unlock. A ratio
within one run says more than a number: other work on the machine slows all cores down.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

WORKER = Path(__file__).resolve().with_name("cache_worker.py")
SETTINGS = [(page_size, capacity) for page_size in (1, 16) for capacity in (200_000, 1_000_000)]
LEAVES = (1_000, 10_000, 50_000)
DEEP_TOKENS, DEEP_NODES = 8_000, 1_000
OPERATIONS = ("match", "lock", "evict", "insert", "unlock")
Figures = dict[str, float]


class Worker:
    """A process that draws the workload once and measures what it is asked."""

    def __init__(self, python: str, *options: str) -> None:
        command = [python, str(WORKER), *options]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words: object) -> Figures:
        """Return the figures of one measurement."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(*words, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            sys.exit(f"the measurement stopped: {' '.join(map(str, words))}")
        figures: Figures = json.loads(answer)
        return figures

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def measured(workers: dict[str, Worker], page_size: int, capacity: int, runs: int) -> dict[str, list[Figures]]:
    """Return the figures of every run by core; the cores take turns."""
    found: dict[str, list[Figures]] = {name: [] for name in workers}
    for _ in range(runs):
        for name, worker in workers.items():
            found[name].append(worker.ask("run", name, page_size, capacity))
    return found


def median(figures: Sequence[Figures], name: str) -> float:
    """Return the median of one figure over the runs."""
    return statistics.median(each[name] for each in figures)


def speed_row(page_size: int, capacity: int, found: dict[str, list[Figures]]) -> list[str]:
    """Return the row of one setting."""
    speed = {name: median(figures, "requests_per_second") for name, figures in found.items()}
    hits = {int(each["hit_tokens"]) for figures in found.values() for each in figures}
    row = [str(page_size), f"{capacity:,}", f"{speed['radixviz']:,.0f}", f"{speed['events']:,.0f}"]
    if "sglang" in speed:
        ratios = (f"{speed[name] / speed['sglang']:.1f}" for name in ("radixviz", "events"))
        row += [f"{speed['sglang']:,.0f}", " / ".join(ratios)]
    row += [" or ".join(f"{each:,}" for each in sorted(hits))]
    parts = (f"{median(found['radixviz'], operation):.1f}" for operation in OPERATIONS)
    return [*row, " / ".join(parts), f"{median(found['radixviz'], 'bytes_per_token'):.1f}"]


def speed_table(workers: dict[str, Worker], runs: int) -> str:
    """Run every setting."""
    peers = ["SGLang's Rust core", "times as fast, without / with events"] if "sglang" in workers else []
    head = [
        "page",
        "capacity",
        "requests/s",
        "with events",
        *peers,
        "hit tokens",
        "µs: match / lock / evict / insert / unlock",
    ]
    rows = []
    for page_size, capacity in SETTINGS:
        rows.append(speed_row(page_size, capacity, measured(workers, page_size, capacity, runs)))
        print(f"page {page_size}, capacity {capacity}: done", file=sys.stderr)
    return table([*head, "bytes/token"], rows)


def growth_table(ours: Worker) -> str:
    """Touch and evict in trees of more and more leaves."""
    names = ("touch 16 and evict", "evict", "worst evict")
    rows = []
    for leaves in LEAVES:
        figures = ours.ask("growth", leaves)
        rows.append([f"{leaves:,}", *(f"{figures[name]:.1f}" for name in names)])
    return table(["leaves", *(f"{name}, µs" for name in names)], rows)


def deep_line(workers: dict[str, Worker]) -> str:
    """Look up along a deep path."""
    times = {
        name: worker.ask("deep", name, DEEP_TOKENS, DEEP_NODES)["microseconds"]
        for name, worker in workers.items()
        if name != "events"
    }
    shown = ", ".join(f"{name} {microseconds:,.0f} µs" for name, microseconds in times.items())
    return f"match of {DEEP_TOKENS:,} tokens along {DEEP_NODES:,} nodes: {shown}"


def _check_sglang(folder: Path | None, python: str) -> None:
    """End with one sentence where there is no SGLang in the folder, or no such Python."""
    if folder is None:
        return
    if not (folder / "sglang" / "srt").is_dir():
        sys.exit(f"--sglang: the folder {folder} holds no unpacked SGLang wheel (no sglang/srt in it)")
    if shutil.which(python) is None:
        sys.exit(f"--sglang-python: there is no program {python}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--sglang", type=Path, default=None, help="folder of an unpacked SGLang wheel")
    parser.add_argument("--sglang-python", default=sys.executable, help="a Python that can import it")
    options = parser.parse_args()
    _check_sglang(options.sglang, options.sglang_python)
    requests = ("--requests", str(options.requests))
    ours = Worker(sys.executable, *requests)
    workers = {"radixviz": ours, "events": ours}
    if options.sglang:
        workers["sglang"] = Worker(options.sglang_python, *requests, "--sglang", str(options.sglang))
    print(speed_table(workers, options.runs), growth_table(ours), deep_line(workers), sep="\n\n")
    for worker in set(workers.values()):
        worker.close()


if __name__ == "__main__":
    main()
