"""Dry runs: which pool makes a scenario's expectations come true, found without a model."""

from __future__ import annotations

from radixviz.engine.runner import SimulatedRunner
from radixviz.engine.tokenizer import Tokenizer
from radixviz.errors import BadPageSize, PoolMisuse, RequestTooLarge
from radixviz.scenario.player import play
from radixviz.scenario.schema import RequestSpec, Scenario
from radixviz.timeline import RunInfo, Timeline


def dry_run(scenario: Scenario, tokenizer: Tokenizer, *, page_size: int, pool_pages: int) -> Timeline:
    """Play the scenario with the replies that the tiny model was taught, on no model."""
    replies = {
        sequence_id: reply for request in scenario.request for sequence_id, reply in _replies(request, tokenizer)
    }
    runner = SimulatedRunner(lambda sequence_id, number: replies[sequence_id][number])
    run = RunInfo("simulated", "none", "none", page_size, pool_pages, 0)
    return play(scenario, runner, tokenizer, run=run)


def find_pool(scenario: Scenario, tokenizer: Tokenizer, *, page_size: int) -> int | None:
    """Return the number of pages, nearest to the scenario's own size, with which every expectation holds, or None.

    At the scenario's page size its own pool is returned unchecked. Tried are pools of 3/4 to 5/4 of its tokens.
    """
    if page_size < 1:
        raise BadPageSize(page_size)
    if page_size == scenario.page_size:
        return scenario.pool_pages
    for pages in _nearest_first(scenario_pages(scenario, page_size)):
        try:
            if not dry_run(scenario, tokenizer, page_size=page_size, pool_pages=pages).unmet:
                return pages
        except (RequestTooLarge, PoolMisuse):
            continue
    return None


def scenario_pages(scenario: Scenario, page_size: int) -> int:
    """Return the pages of this size that hold as many tokens as the scenario's pool."""
    return -(-scenario.page_size * scenario.pool_pages // page_size)


def _nearest_first(middle: int) -> list[int]:
    pages = range(max(1, middle * 3 // 4), middle * 5 // 4 + 1)
    return sorted(pages, key=lambda count: (abs(count - middle), count))


def _replies(request: RequestSpec, tokenizer: Tokenizer) -> list[tuple[str, tuple[int, ...]]]:
    texts = request.replies or (request.reply or "",)
    stop = tokenizer.stop_token_ids[:1]
    ids = [tokenizer.encode(f" {text}") + stop * max(request.reply_lengths()) for text in texts]
    return list(zip(request.sequence_ids(), ids, strict=True))
