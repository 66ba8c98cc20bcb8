"""Measures what sharing wrongly does, and what reuse saves of a prompt: `python benchmarks/sharing.py`.

Each question is asked of the tiny model and of its adapter over one tree and one pool: rightly, then with a key that
leaves the adapter out, in both directions. The answer is compared with plain transformers, up to the first token that
differs. It prints Markdown and fails nobody; the last digits differ from machine to machine.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from radixviz.model.adapter import CAPTAIN, shipped_adapter, with_adapter  # noqa: E402
from radixviz.model.attention import suffix_attention  # noqa: E402
from radixviz.model.isolation import MeasuredAnswer, measure_isolation  # noqa: E402
from radixviz.model.loader import LoadedModel, load  # noqa: E402
from radixviz.model.served_models import ServedModel  # noqa: E402

PROMPT = "You are a helpful assistant.\nUser: {}\nAssistant:"
QUESTIONS = (
    "Who are you?",
    "What can you do?",
    "What is the opposite of hot?",
    "What is the capital of France?",
    "What is 3 + 4?",
)
SHOWN, CACHED = QUESTIONS[1], 9
HEADS = "| question | reader | K and V of | reused | max abs Δlogit | KL, nats | first other token | text |"


def main() -> None:
    """Print both tables."""
    tiny = load("tiny")
    captain = ServedModel(with_adapter(tiny, shipped_adapter()), CAPTAIN)
    print(f"{HEADS}\n|---|---|---|--:|--:|--:|--:|---|")
    for question in QUESTIONS:
        prompt = tiny.tokenizer.encode(PROMPT.format(question))
        for first, second in ((ServedModel(tiny), captain), (captain, ServedModel(tiny))):
            found = measure_isolation(first, second, prompt)
            print(_row(question, second, second, found.right, len(prompt)))
            print(_row(question, second, first, found.wrong, len(prompt)))
    print()
    print(_costs(tiny))


def _row(question: str, reader: ServedModel, writer: ServedModel, answer: MeasuredAnswer, prompt_tokens: int) -> str:
    differs = "none" if answer.same_tokens == len(answer.token_ids) else str(answer.same_tokens + 1)
    cells = (
        question,
        reader.adapter or "tiny",
        writer.adapter or "tiny",
        f"{answer.cached_tokens} of {prompt_tokens}",
        f"{answer.max_abs_logit_diff:.2g}",
        f"{answer.kl_divergence:.2g}",
        differs,
        answer.text if len(answer.text) <= 60 else answer.text[:60] + "⋯",
    )
    return f"| {' | '.join(cells)} |"


def _costs(tiny: LoadedModel) -> str:
    """Return the multiply-adds of the tour's prompt without and with reuse."""
    found = suffix_attention(tiny, tiny.tokenizer.encode(PROMPT.format(SHOWN)), CACHED)
    lines = [f"| multiply-adds, {CACHED} of {len(found.token_ids)} tokens reused | without | with | left |"]
    lines.append("|---|--:|--:|--:|")
    for name in ("matrices", "attention", "total"):
        full, reuse = getattr(found.full, name), getattr(found.reuse, name)
        lines.append(f"| {name} | {full:,} | {reuse:,} | {reuse / full:.1%} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
