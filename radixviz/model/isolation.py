"""What goes wrong when a model reads the K and V of another: one prompt, asked of both, served rightly and wrongly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request
from radixviz.model.loader import LoadedModel
from radixviz.model.served_models import ServedModel, build_shared_runner

FIRST, SECOND = "first", "second"
MOST_TOKENS = 100


@dataclass(frozen=True, slots=True)
class MeasuredAnswer:
    """An answer, of whose prompt `cached_tokens` were reused, beside plain transformers without a cache.

    `text` is without the stop token. Its first `same_tokens` tokens are the ones that plain transformers chooses; the
    other measures are the largest over these and the first that differs, in float32. After that nothing is compared:
    what was written is no longer the same.
    """

    cached_tokens: int
    token_ids: tuple[int, ...]
    text: str
    same_tokens: int
    max_abs_logit_diff: float
    kl_divergence: float
    """KL(plain || this), in nats."""


@dataclass(frozen=True, slots=True)
class Isolation:
    """What the first model answered, and the second with its own K and V (`right`), and the first one's (`wrong`)."""

    prompt_ids: tuple[int, ...]
    first: MeasuredAnswer
    right: MeasuredAnswer
    wrong: MeasuredAnswer


def measure_isolation(
    first: ServedModel, second: ServedModel, prompt_ids: Sequence[int], *, max_new_tokens: int = MOST_TOKENS
) -> Isolation:
    """Ask the prompt of the first model, then of the second, over one tree and one pool; twice.

    Rightly, each asks in its own namespace. Wrongly, the second asks in the first one's: that is a cache whose key is
    the tokens alone, and all of the prompt but its last token is taken from the other model.

    Raises what `build_shared_runner` and `Engine.submit` raise.
    """
    prompt = tuple(prompt_ids)
    before, right = _serve(first, second, prompt, max_new_tokens, share=False)
    _, wrong = _serve(first, second, prompt, max_new_tokens, share=True)
    return Isolation(prompt, before, right, wrong)


def _serve(
    first: ServedModel, second: ServedModel, prompt: tuple[int, ...], max_new_tokens: int, *, share: bool
) -> tuple[MeasuredAnswer, MeasuredAnswer]:
    """Return both answers."""
    logits: dict[str, list[torch.Tensor]] = {FIRST: [], SECOND: []}
    pages = 2 * (len(prompt) + max_new_tokens)
    models = {FIRST: first, SECOND: second}
    runner = build_shared_runner(
        [first, second], pages, 1, models.__getitem__, on_logits=lambda name, row: logits[name].append(row.clone())
    )
    engine = Engine(RadixCache(), PagePool(pages), runner)
    for name, served in models.items():
        namespace = (first if share else served).namespace()
        stop = served.loaded.tokenizer.stop_token_ids
        engine.submit(Request(name, prompt, max_new_tokens, stop_token_ids=stop, namespace=namespace))
        engine.run()
    engine.check_integrity()
    return (
        _measured(engine, FIRST, first.loaded, torch.stack(logits[FIRST])),
        _measured(engine, SECOND, second.loaded, torch.stack(logits[SECOND])),
    )


def _measured(engine: Engine, name: str, loaded: LoadedModel, logits: torch.Tensor) -> MeasuredAnswer:
    """Compare the logits [output tokens, vocabulary] of this request with those of one plain forward."""
    sequence, stop = engine.sequences[name], loaded.tokenizer.stop_token_ids
    token_ids = sequence.output_ids
    places = range(sequence.prompt_len - 1, len(sequence.token_ids) - 1)
    plain = loaded.model.recompute_logits(sequence.token_ids[:-1], places)
    same = _count_same(token_ids, plain.argmax(-1).tolist())
    return MeasuredAnswer(
        sequence.cached_tokens,
        token_ids,
        loaded.tokenizer.decode([token for token in token_ids if token not in stop]).strip(),
        same,
        max_abs_logit_diff=float((plain - logits)[: same + 1].abs().max()),
        kl_divergence=float(_kl_divergence(plain, logits)[: same + 1].max()),
    )


def _count_same(written: Sequence[int], chosen: Sequence[int]) -> int:
    """Return how many tokens are the same before the first that is not."""
    pairs = enumerate(zip(written, chosen, strict=True))
    return next((place for place, (one, other) in pairs if one != other), len(written))


def _kl_divergence(right: torch.Tensor, wrong: torch.Tensor) -> torch.Tensor:
    """KL(right || wrong) of each row of logits, in nats; rounding can make that of two equal rows just below 0."""
    logs, others = right.double().log_softmax(-1), wrong.double().log_softmax(-1)
    return (logs.exp() * (logs - others)).sum(-1).clamp(min=0)
