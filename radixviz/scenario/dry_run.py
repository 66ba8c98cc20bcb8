"""Dry runs: which pool makes a scenario's expectations come true, found without a model."""

from __future__ import annotations

from zlib import crc32

from radixviz.engine.runner import Reply, SimulatedRunner
from radixviz.engine.tokenizer import Tokenizer
from radixviz.errors import BadPageSize, PoolMisuse, RequestTooLarge
from radixviz.scenario.player import IsCancelled, play
from radixviz.scenario.schema import RequestSpec, Scenario
from radixviz.timeline import RunInfo, Timeline

_MOST_TRIES = 150


def dry_run(
    scenario: Scenario,
    tokenizer: Tokenizer,
    *,
    page_size: int,
    pool_pages: int,
    taught: bool = True,
    is_cancelled: IsCancelled | None = None,
) -> Timeline:
    """Play the scenario on no model; as `play` does, raise PlayCancelled when it is called off.

    The replies are those that the tiny model was taught, or, for a model that was taught nothing, tokens without
    meaning in the scenario's lengths, different for each sequence but those that the scenario wants to say the same.
    """
    reply = _taught(scenario, tokenizer) if taught else _meaningless(scenario, tokenizer)
    run = RunInfo("simulated", "none", "none", page_size, pool_pages, 0)
    return play(
        scenario, SimulatedRunner(reply), tokenizer, run=run, follow_stop_tokens=taught, is_cancelled=is_cancelled
    )


def find_pool(
    scenario: Scenario,
    tokenizer: Tokenizer,
    *,
    page_size: int,
    taught: bool = True,
    is_cancelled: IsCancelled | None = None,
) -> int | None:
    """Return the number of pages, nearest to the scenario's own size, with which every expectation holds, or None.

    For the tiny model at the scenario's page size that is its own pool, unchecked. Tried are pools of 3/4 to 5/4 of
    its tokens. For a model that was taught nothing, where no pool is perfect, it is the nearest of those that leave the
    fewest expectations unmet.

    Raises PlayCancelled, when it is called off.
    """
    if page_size < 1:
        raise BadPageSize(page_size)
    if taught and page_size == scenario.page_size:
        return scenario.pool_pages
    fewest, best = None, None
    for pages in _nearest_first(scenario_pages(scenario, page_size)):
        try:
            played = dry_run(
                scenario, tokenizer, page_size=page_size, pool_pages=pages, taught=taught, is_cancelled=is_cancelled
            )
        except (RequestTooLarge, PoolMisuse):
            continue
        if not played.unmet:
            return pages
        if not taught and (fewest is None or len(played.unmet) < fewest):
            fewest, best = len(played.unmet), pages
    return best


def scenario_pages(scenario: Scenario, page_size: int) -> int:
    """Return the pages of this size that hold as many tokens as the scenario's pool."""
    return -(-scenario.page_size * scenario.pool_pages // page_size)


def _nearest_first(middle: int) -> list[int]:
    first, last = max(1, middle * 3 // 4), middle * 5 // 4
    pages = range(first, last + 1, 1 + (last - first) // _MOST_TRIES)
    return sorted(pages, key=lambda count: (abs(count - middle), count))


def _taught(scenario: Scenario, tokenizer: Tokenizer) -> Reply:
    replies = {name: ids for request in scenario.request for name, ids in _replies(request, tokenizer).items()}
    end = tokenizer.stop_token_ids[0] if tokenizer.stop_token_ids else 0

    def reply(sequence_id: str, number: int) -> int:
        ids = replies[sequence_id]
        return ids[number] if number < len(ids) else end

    return reply


def _replies(request: RequestSpec, tokenizer: Tokenizer) -> dict[str, tuple[int, ...]]:
    return {sequence_id: tokenizer.encode(f" {text}") for sequence_id, text in _reply_texts(request).items()}


def _reply_texts(request: RequestSpec) -> dict[str, str]:
    texts = request.replies or (request.reply or "",) * request.samples
    return dict(zip(request.sequence_ids(), texts, strict=True))


def _meaningless(scenario: Scenario, tokenizer: Tokenizer) -> Reply:
    size = tokenizer.vocabulary_size
    same = _same_replies(scenario)
    return lambda sequence_id, number: crc32(f"{same[sequence_id]} {number}".encode()) % size


def _same_replies(scenario: Scenario) -> dict[str, str]:
    """Return sequence id -> the first one that says the same to the same raw text: its own, where there is none."""
    first, same = dict[tuple[str | None, ...], str](), dict[str, str]()
    for request in scenario.request:
        for sequence_id, said in _reply_texts(request).items():
            asked = (request.before, request.text, said) if request.kind == "text" and said else (sequence_id,)
            same[sequence_id] = first.setdefault(asked, sequence_id)
    return same
