"""A15: what the engine does depends on no process and no hash seed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUN = """
from radixviz.engine.batching import Batching
from radixviz.engine.metrics import MetricsFold
from radixviz.engine.schedule import schedule_policy
from tests.engine.serving import Serving

for policy in ("lpm", "dfs-weight"):
    for page_size in (1, 4):
        batching = Batching(tokens_per_step=12, twin_tokens=2)
        serving = Serving(64 // page_size, page_size, batching=batching, schedule=schedule_policy(policy))
        for number in range(16):
            prompt = (number % 2, *range(number % 3, 8), number)
            salt = None if number % 4 else f"tenant {number % 8}"
            namespace = (None, None, salt, None)
            serving.submit(f"{policy} {number}", prompt, 5, samples=1 + number % 2, namespace=namespace)
        serving.run_until_idle()
        fold = MetricsFold()
        for event in serving.events:
            fold.note(event)
            print(event)
        print(serving.engine.tree(), serving.engine.page_map(), fold.totals)
"""


def run(seed: str) -> bytes:
    """Return what a process of its own prints that hashes with this seed."""
    environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", RUN]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True).stdout


def test_two_processes_give_the_same_bytes() -> None:
    """Every event, the trees and the totals are the same, whatever the seed of Python's hashes."""
    first = run("1")
    assert first.count(b"\n") > 1000
    assert first == run("2")
