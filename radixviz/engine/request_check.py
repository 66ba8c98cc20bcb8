"""Which requests an engine takes."""

from __future__ import annotations

from collections.abc import Set
from math import inf

from radixviz.cache.key import as_token_array
from radixviz.cache.page_hash import LARGEST_TOKEN
from radixviz.cache.page_pool import PagePool
from radixviz.engine.request import Request
from radixviz.errors import (
    BadTemperature,
    BadTokenCount,
    BadTokenId,
    DuplicateRequest,
    EmptyPrompt,
    PromptTooLong,
    RequestTooLarge,
)


def check_request(request: Request, *, taken: Set[str], max_positions: int, pool: PagePool) -> None:
    """Refuse a request that cannot be served; `taken` are the ids of all requests and sequences so far.

    Raises:
        EmptyPrompt, BadTokenId: the prompt has no tokens, or something else among them (no model has a token below 0
            or of more than 4 bytes, and outsiders could not be told of it).
        DuplicateRequest: its id, or that of one of its sequences, is taken.
        BadTokenCount: a count below 1.
        BadTemperature: below 0, or no number that can be divided by.
        PromptTooLong: prompt and reply need more positions than the model has.
        RequestTooLarge: one sequence alone needs more pages than the pool has.
    """
    if not request.prompt_ids:
        raise EmptyPrompt(request.request_id)
    for position, token in enumerate(as_token_array(request.prompt_ids)):
        if not 0 <= token <= LARGEST_TOKEN:
            raise BadTokenId(token, position, LARGEST_TOKEN)
    if not taken.isdisjoint((request.request_id, *request.sequence_ids())):
        raise DuplicateRequest(request.request_id)
    limits = (("sample_limits", limit) for limit in request.sample_limits)
    for name, value in (("max_new_tokens", request.max_new_tokens), ("samples", request.samples), *limits):
        if value < 1:
            raise BadTokenCount(name, value)
    if not 0 <= request.temperature < inf:
        raise BadTemperature(request.request_id, request.temperature)
    positions = len(request.prompt_ids) + request.max_new_tokens
    if positions > max_positions:
        raise PromptTooLong(request.request_id, positions, max_positions)
    pages = pool.pages_for(positions - 1)
    if pages > pool.num_pages:
        raise RequestTooLarge(request.request_id, pages, pool.num_pages)
