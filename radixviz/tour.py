"""A scenario played on a model: where the two rooms that do not know each other meet."""

from __future__ import annotations

from collections.abc import Callable

from radixviz.engine.tokenizer import Tokenizer
from radixviz.errors import BadPageSize, BadPoolPages
from radixviz.events import Emit
from radixviz.model.folder import TINY
from radixviz.model.loader import LoadedModel, build_runner
from radixviz.scenario.dry_run import find_pool, scenario_pages
from radixviz.scenario.player import IsCancelled, OnFirstToken, OnStage, OnTimeline, play
from radixviz.scenario.schema import Scenario
from radixviz.timeline import RunInfo, Timeline


def check_pool(scenario: Scenario, *, page_size: int | None, pool_pages: int | None) -> None:
    """Refuse a pool that cannot be, before a model is loaded; None means the scenario's own.

    Raises:
        BadPageSize: below 1, or, when no number of pages is given, larger than the scenario's whole pool.
        BadPoolPages: below 1.
    """
    limit = scenario.page_size * scenario.pool_pages
    if pool_pages is not None and pool_pages < 1:
        raise BadPoolPages(pool_pages)
    if page_size is not None and (page_size < 1 or (pool_pages is None and page_size > limit)):
        raise BadPageSize(page_size, limit)


def choose_pool(
    scenario: Scenario,
    tokenizer: Tokenizer,
    *,
    page_size: int,
    pool_pages: int | None,
    taught: bool = True,
    is_cancelled: IsCancelled | None = None,
) -> int:
    """Return the pages to play with: those asked for, else those with which dry runs tell the scenario's story.

    `taught` says whether the model says what the scenario has taught it. Where no pool does that, as many pages as
    hold the scenario's tokens: then the timeline says what is not met.
    """
    if pool_pages is not None:
        return pool_pages
    found = find_pool(scenario, tokenizer, page_size=page_size, taught=taught, is_cancelled=is_cancelled)
    return scenario_pages(scenario, page_size) if found is None else found


def play_on_model(
    scenario: Scenario,
    loaded: LoadedModel,
    *,
    page_size: int | None = None,
    pool_pages: int | None = None,
    now: Callable[[], float] = lambda: 0.0,
    on_stage: OnStage | None = None,
    on_first_token: OnFirstToken | None = None,
    on_timeline: OnTimeline | None = None,
    on_event: Emit | None = None,
    is_cancelled: IsCancelled | None = None,
) -> Timeline:
    """Play `scenario` on a loaded model with a pool of its own, and return what happened.

    The tiny model ends its replies itself. Other models were not taught them: theirs have the scenario's lengths.
    The last five are those of `radixviz.scenario.player.play`, which raises PlayCancelled when it is called off.
    """
    taught = loaded.name == TINY
    check_pool(scenario, page_size=page_size, pool_pages=pool_pages)
    size = scenario.page_size if page_size is None else page_size
    pages = choose_pool(
        scenario, loaded.tokenizer, page_size=size, pool_pages=pool_pages, taught=taught, is_cancelled=is_cancelled
    )
    runner = build_runner(loaded, pages, size)
    run = RunInfo(
        model=loaded.name,
        device=loaded.device,
        dtype=loaded.dtype,
        page_size=size,
        pool_pages=pages,
        kv_bytes_per_token=runner.tensors.kv_bytes_per_token,
    )
    return play(
        scenario,
        runner,
        loaded.tokenizer,
        run=run,
        follow_stop_tokens=taught,
        now=now,
        on_stage=on_stage,
        on_first_token=on_first_token,
        on_timeline=on_timeline,
        on_event=on_event,
        is_cancelled=is_cancelled,
    )
