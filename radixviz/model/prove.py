"""Proves on a loaded model that reuse does not change the answer, and measures what it saves."""

from __future__ import annotations

from collections.abc import Callable

import torch

from radixviz.errors import ModelRefused
from radixviz.model.answer_check import check_answer
from radixviz.model.chat_template import Message
from radixviz.model.device import allocated_bytes
from radixviz.model.first_token import Clock, FirstTokenBench, measure_first_tokens
from radixviz.model.loader import LoadedModel
from radixviz.proof import HITS, Memory, Proof

PROVE_STEPS = ("answer", "first_token")
"""What `progress` is told as each begins."""
CHAT = (
    Message("user", "Hello!"),
    Message("assistant", "Hi!"),
    Message("user", "What can you do?"),
    Message("assistant", "I can answer questions."),
    Message("user", "Write a story about a small fox."),
)
ANSWER_TOKENS = 16
TOKENS = 1000
REPEATS = 3
"""Rounds, of whose times the medians are taken; `benchmarks/ttft.py` takes more."""


def prove(
    loaded: LoadedModel, clock: Clock, *, progress: Callable[[str], None] | None = None, repeats: int = REPEATS
) -> Proof:
    """Return what was measured on this model; `clock` gives seconds, and is read for times only.

    Times are those of a prompt of 1,000 tokens, or of as many as the model has positions for. Its pages lie scattered,
    as in a pool that has served for a while, so that what gathering costs is in them.

    Raises ModelRefused: reason "positions" (too few for the prompt and its answer), "vocabulary" (the tokenizer has
    tokens that the model does not have) or "out_of_memory".
    """
    tell = progress or (lambda step: None)
    tell("answer")
    answer = check_answer(loaded, _prompt(loaded), ANSWER_TOKENS)
    tell("first_token")
    tokens = long_prompt(loaded)
    before = allocated_bytes(loaded.model.device)
    bench = FirstTokenBench(loaded, tokens, clock, scattered=True)
    first_tokens = measure_first_tokens(bench, HITS, repeats)
    return Proof(
        model=loaded.name,
        device=loaded.device,
        dtype=loaded.dtype,
        threads=torch.get_num_threads(),
        answer=answer,
        prompt_tokens=len(tokens),
        first_tokens=first_tokens,
        memory=Memory(bench.runner.tensors.nbytes, before, allocated_bytes(loaded.model.device)),
    )


def long_prompt(loaded: LoadedModel) -> tuple[int, ...]:
    """Return 1,000 token ids that come in no particular order, or as many as leave room for one token more."""
    count = min(TOKENS, loaded.max_positions - 1)
    return tuple((37 * index + 11) % loaded.model.vocabulary_size for index in range(count))


def _prompt(loaded: LoadedModel) -> tuple[int, ...]:
    """Return the chat as the model's template writes it, or as plain text where there is none."""
    if loaded.chat is not None:
        prompt = loaded.chat.encode(CHAT, loaded.tokenizer)
    else:
        turns = "".join(f"{turn.role.capitalize()}: {turn.content}\n" for turn in CHAT)
        prompt = loaded.tokenizer.encode(f"You are a helpful assistant.\n{turns}Assistant:")
    limit = loaded.model.vocabulary_size
    if max(prompt, default=0) >= limit:
        raise ModelRefused(loaded.name, "vocabulary", f"{max(prompt)} ≥ {limit}")
    return prompt
