"""Measures the player in a real Chromium: `python benchmarks/player.py`. It prints figures and fails nobody.

work     handler to layout flushed: one right arrow key, its handlers, and a forced layout
frame    the same key to the second animation frame after it: what the eye waits for
fling    each step of a burst of thirty keys within one task

Times depend on the machine, so each is also given as a ratio to a plain loop of the same browser (see `YARDSTICK`).
The tour is a dry run with the replies that the tiny model was taught; the large tree has 300 nodes.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import sync_playwright  # noqa: E402

from radixviz.cache.key import RadixKey  # noqa: E402
from radixviz.cache.radix_cache import RadixCache  # noqa: E402
from radixviz.model.folder import TINY, locate  # noqa: E402
from radixviz.model.tokenizer import TextTokenizer  # noqa: E402
from radixviz.render.layout import find_engine  # noqa: E402
from radixviz.render.player_data import player_data  # noqa: E402
from radixviz.render.player_script import (  # noqa: E402
    CLASS_MODULES,
    MAIN,
    MODULES,
    class_styles,
    joined,
    plain_styles,
)
from radixviz.scenario.dry_run import dry_run  # noqa: E402
from radixviz.scenario.loader import find_scenario, load_scenario  # noqa: E402
from radixviz.timeline import NodeMark, Timeline  # noqa: E402
from tests.browser.bare_player import player_html  # noqa: E402
from tests.chromium import QUIET, find_chromium  # noqa: E402
from tests.render.small_timeline import frame, timeline  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROUNDS = 3
NODES = 300
BUDGETS = {"work": "8 / 16", "frame": "34 / -", "fling": "8 / 16", "large": "100 / -"}
"""Milliseconds, median / 95th percentile, on a quiet machine of two cores."""
YARDSTICK = """() => {
  const begun = performance.now();
  let sum = 0;
  for (let n = 0; n < 5e6; n++) sum = (sum * 31 + n) | 0;
  return performance.now() - begun + 0 * sum;
}"""
STEPS = """async (count) => {
  const root = document.querySelector("[data-testid=player]");
  const next = () => new Promise(requestAnimationFrame);
  const work = [], frame = [], fling = [];
  const press = (key) => {
    const begun = performance.now();
    dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
    root.getBoundingClientRect();
    return performance.now() - begun;
  };
  press("Home");
  await next();
  for (let n = 0; n < count; n++) {
    const begun = performance.now();
    work.push(press("ArrowRight"));
    await next();
    await next();
    frame.push(performance.now() - begun);
  }
  press("Home");
  for (let n = 0; n < 30; n++) fling.push(press("ArrowRight"));
  return { work, frame, fling };
}"""


def main() -> None:
    """Print the sizes and the times."""
    tour, large = play_tour(), large_timeline()
    print(f"data of the nine stages  {size(player_data(tour, find_engine())):>9,} bytes  (at most 600,000)")
    own, of_class = joined(*MODULES, MAIN) + plain_styles(), joined(*CLASS_MODULES) + class_styles()
    print(f"js and css of the player {len(own.encode()):>9,} bytes  (at most 60,000)")
    print(f"and of what a class needs{len(of_class.encode()):>9,} bytes  (at most 40,000)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(QUIET))
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        yardstick = statistics.median(page.evaluate(YARDSTICK) for _ in range(5))
        print(f"yardstick                {yardstick:9.1f} ms     (a loop of five million additions)")
        print(f"{'':24}{'median':>8}{'p95':>8}{'most':>8} ms   median/yardstick   budget")
        for name, times in measure(page, tour).items():
            report(name, times, yardstick)
        report("large", measure(page, large)["work"], yardstick)
        browser.close()


def play_tour() -> Timeline:
    """Return the nine stages on no model."""
    scenario = load_scenario(find_scenario("nine-stages"))
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    return dry_run(scenario, tokenizer, page_size=scenario.page_size, pool_pages=scenario.pool_pages)


def large_timeline() -> Timeline:
    """Return frames of a tree of 300 nodes in which one look after another changes."""
    cache = RadixCache(1)
    for branch in range(NODES // 3):
        stem = [1000 + branch // 10, 2000 + branch]
        cache.insert(RadixKey([*stem, 3000 + branch]))
        cache.insert(RadixKey([*stem, 4000 + branch]))
    nodes = cache.snapshot().nodes
    looks = [{node.node_id: look(node.node_id % 7 == turn) for node in nodes} for turn in range(7)]
    frames = [
        frame(nodes, marks, index=place, stage_frame=place + 1, pages=len(nodes)) for place, marks in enumerate(looks)
    ]
    words = {token: f" w{token}".encode() for node in nodes for token in node.token_ids}
    return timeline(*frames, token_bytes=words, pages=len(nodes))


def look(is_hit: bool) -> NodeMark:
    """Return the mark of a node."""
    return NodeMark("hit" if is_hit else "cached")


def measure(page: Page, told: Timeline) -> Mapping[str, Sequence[float]]:
    """Return the milliseconds of every step, of some rounds."""
    page.set_content(player_html(told, {"frame": 0, "lang": "en", "notices": None, "ask": False}))
    rounds = [page.evaluate(STEPS, min(len(told.frames) - 1, 60)) for _ in range(ROUNDS)]
    return {name: [time for one in rounds for time in one[name]] for name in rounds[0]}


def report(name: str, times: Sequence[float], yardstick: float) -> None:
    """Print one line."""
    median, late = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    print(f"{name:24}{median:8.1f}{late:8.1f}{max(times):8.1f}      {median / yardstick:16.2f}   {BUDGETS[name]}")


def size(data: Mapping[str, object]) -> int:
    """Return the bytes of the data as JSON."""
    return len(json.dumps(data, ensure_ascii=False).encode("utf-8"))


if __name__ == "__main__":
    main()
