"""Answers one prompt cold, warm and by full recompute, and compares the logits of every position."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import torch

from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request
from radixviz.errors import ModelRefused
from radixviz.model.causal_lm import CausalLM
from radixviz.model.loader import LoadedModel, build_runner
from radixviz.model.paged_cache import PagedCache
from radixviz.model.torch_runner import TorchRunner
from radixviz.proof import AnswerCheck

PAGE_SIZE = 1


def check_answer(loaded: LoadedModel, prompt: Sequence[int], count: int) -> AnswerCheck:
    """Let the engine answer `prompt` with `count` tokens, then again with what is cached by then, and compare.

    The comparison is a forward of plain transformers over the whole text, without any cache, for each token.

    Raises ModelRefused: reason "positions" (too few for prompt and answer), or "out_of_memory".
    """
    if len(prompt) + count > loaded.max_positions:
        raise ModelRefused(loaded.name, "positions", f"{loaded.max_positions} < {len(prompt) + count}")
    told = defaultdict[str, list[torch.Tensor]](list)
    pages = len(prompt) + count
    runner = build_runner(loaded, pages, PAGE_SIZE, on_logits=lambda name, logits: told[name].append(logits))
    engine = Engine(RadixCache(PAGE_SIZE), PagePool(pages, PAGE_SIZE), runner)
    for name in ("cold", "warm"):
        engine.submit(Request(name, tuple(prompt), count))
        engine.run()
    cold, warm = (engine.sequences[name].output_ids for name in ("cold", "warm"))
    whole = {reply: _recomputed(loaded.model, prompt, reply) for reply in (cold, warm)}
    differences = [(torch.stack(told[name]) - whole[reply]).abs().max() for name, reply in _both(cold, warm)]
    best, second = whole[warm].topk(2).values.unbind(-1)
    return AnswerCheck(
        prompt_tokens=len(prompt),
        cached_tokens=engine.sequences["warm"].cached_tokens,
        answer_tokens=count,
        max_abs_logit_diff=float(max(differences)),
        argmax_equal=all(tuple(whole[reply].argmax(-1).tolist()) == reply for reply in (cold, warm)),
        text_equal=cold == warm == _recompute_greedily(loaded.model, prompt, count),
        wrong_positions_diff=wrong_positions_diff(runner, prompt, whole[warm][0]),
        smallest_gap=float((best - second).min()),
    )


def _both(cold: tuple[int, ...], warm: tuple[int, ...]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return ("cold", cold), ("warm", warm)


def _recomputed(model: CausalLM, prompt: Sequence[int], reply: Sequence[int]) -> torch.Tensor:
    """Return the logits from which each token of the reply follows, by one forward: [reply, vocabulary]."""
    first = len(prompt) - 1
    return model.recompute_logits((*prompt, *reply), range(first, first + len(reply)))


def _recompute_greedily(model: CausalLM, prompt: Sequence[int], count: int) -> tuple[int, ...]:
    tokens = list(prompt)
    for _ in range(count):
        tokens.append(int(model.recompute_logits(tokens, [len(tokens) - 1])[0].argmax()))
    return tuple(tokens[len(prompt) :])


def wrong_positions_diff(runner: TorchRunner, prompt: Sequence[int], right: torch.Tensor) -> float:
    """Return how far the first logits are off when the second half counts its positions from 0, over the right K and V.

    The fault of a cache that forgets where the reused part ends. A model that reads no positions but from its mask
    (ALiBi) is not off.
    """
    half = len(prompt) // 2
    slots = tuple(range(1, len(prompt) + 1))
    model, new = runner.model, len(prompt) - half
    whole = torch.tensor([list(prompt)], device=model.device)
    positions = torch.arange(len(prompt), device=model.device)[None]
    model.next_logits(whole, positions, PagedCache(runner.tensors, [slots], len(prompt)))
    wrong = model.next_logits(whole[:, half:], positions[:, :new], PagedCache(runner.tensors, [slots], new))
    return float((wrong[0] - right).abs().max())
