"""Train the tiny model: tokenizer, Llama and training record, from the corpus of this project, offline.

    python tiny_model/train.py [--out FOLDER] [--steps N] [--seed N] [--threads N]

The same seed and the same number of threads give the same weights on the same machine. Files are written to a folder
beside the target and moved into place at the end, so an interrupted run leaves the shipped model alone.
"""

import argparse
import json
import math
import os
import random
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # spinning threads cost more than they save on a busy machine

import corpus
import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from tqdm import tqdm  # type: ignore[import-untyped]
from transformers import LlamaConfig, LlamaForCausalLM

END_OF_TEXT = "<|endoftext|>"
NEWLINE = "Ċ"  # how a byte-level vocabulary writes "\n"
VOCABULARY = 1280
TOKENIZER_DOCUMENTS = 6000
# Words with the space before them, single digits, punctuation, and every newline by itself: so a token never spans a
# "\n" or the space before a word, and a conversation can be cut and continued there.
SPLIT = r"'s|'t| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]+|\n|[^\S\n]+(?!\S)|[^\S\n]+"

BATCH = 16
BUCKET = 8  # batches that are sorted by length together, to spare padding
LEARNING_RATE = 3e-3
WARM_UP_STEPS = 50
FINAL_RATE = 0.01  # of the learning rate
WEIGHT_DECAY = 0.05
CONTEXT_WEIGHT = 0.1  # of the loss on text that the model is not asked to write
TOKENIZER_CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "eos_token": END_OF_TEXT,
    "pad_token": END_OF_TEXT,
    "clean_up_tokenization_spaces": False,
    "model_max_length": 2048,
}
SHIPPED = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Options:
    """What the command line says."""

    out: Path
    steps: int
    seed: int
    threads: int


@dataclass(frozen=True)
class Example:
    """A tokenised document and, for each token, its weight in the loss; shares, where a token may be one of several."""

    ids: list[int]
    weights: list[float]
    shares: dict[int, dict[int, float]]  # place -> token -> probability


@dataclass(frozen=True)
class Result:
    """What a training run says about itself; training.json holds it."""

    steps: int
    seed: int
    threads: int
    documents: int
    tokens: int
    vocabulary: int
    parameters: int
    final_loss: float
    wall_seconds: float
    cpu_seconds: float


def parse_options(arguments: list[str] | None = None) -> Options:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train the tiny model from the project's own corpus.")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="folder for the model files (default: here)")
    parser.add_argument("--steps", type=int, default=1500, help="optimizer steps of 16 documents (default: 1500)")
    parser.add_argument("--seed", type=int, default=0, help="seed of corpus and weights (default: 0)")
    parser.add_argument("--threads", type=int, default=2, help="threads of torch (default: 2)")
    given = parser.parse_args(arguments)
    if given.steps < 1 or given.threads < 1:
        parser.error("--steps and --threads must be at least 1")
    return Options(given.out, given.steps, given.seed, given.threads)


# ------------------------------------------------------------------------------------------------ tokenizer
def train_tokenizer(scenario: corpus.Scenario, rng: random.Random) -> Tokenizer:
    """Learn a byte-level BPE from documents of the corpus; it can encode any text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[END_OF_TEXT],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    documents = corpus.Corpus(scenario, rng).documents(TOKENIZER_DOCUMENTS)
    tokenizer.train_from_iterator(("".join(piece.text for piece in document) for document in documents), trainer)
    return tokenizer


def token_id(tokenizer: Tokenizer, token: str) -> int:
    """The id of a token that the vocabulary must have."""
    found = tokenizer.token_to_id(token)
    if found is None:
        raise ValueError(f"the vocabulary has no token {token!r}")
    return int(found)


def encode(tokenizer: Tokenizer, document: corpus.Document) -> Example:
    """Tokenise a document piece by piece and weigh its tokens."""
    ids: list[int] = []
    weights: list[float] = []
    shares: dict[int, dict[int, float]] = {}
    for piece in document:
        new = tokenizer.encode(piece.text).ids
        if piece.openings:
            shares[len(ids)] = {tokenizer.encode(text).ids[0]: share for text, share in piece.openings}
        ids += new
        weights += [1.0 if piece.written_by_model else CONTEXT_WEIGHT] * len(new)
    return Example([*ids, token_id(tokenizer, END_OF_TEXT)], [*weights, 1.0], shares)


# ------------------------------------------------------------------------------------------------ training
def make_model(vocabulary: int, end_id: int) -> Any:
    """A fresh Llama with tied embeddings (Any: transformers leaves most of its methods untyped)."""
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=192,
        intermediate_size=512,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=48,
        max_position_embeddings=2048,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=end_id,
        pad_token_id=end_id,
    )
    return LlamaForCausalLM(config)


def batches(examples: list[Example], rng: random.Random) -> Iterator[list[Example]]:
    """Every example once, in the order drawn, except that neighbours are sorted into batches of like length."""
    for start in range(0, len(examples), BATCH * BUCKET):
        bucket = sorted(examples[start : start + BATCH * BUCKET], key=lambda example: len(example.ids))
        groups = [bucket[i : i + BATCH] for i in range(0, len(bucket), BATCH)]
        rng.shuffle(groups)
        yield from groups


def batch_loss(model: Any, batch: list[Example]) -> Any:
    """The weighted mean cross-entropy of the next token; padding at the right weighs nothing."""
    length = max(len(example.ids) for example in batch)
    ids = torch.zeros(len(batch), length, dtype=torch.long)
    weights = torch.zeros(len(batch), length)
    for row, example in enumerate(batch):
        ids[row, : len(example.ids)] = torch.tensor(example.ids)
        weights[row, : len(example.ids)] = torch.tensor(example.weights)
    logits = model(input_ids=ids, use_cache=False).logits[:, :-1]
    chances = torch.log_softmax(logits, -1)
    losses = -chances.gather(-1, ids[:, 1:, None])[..., 0]
    for row, example in enumerate(batch):
        for place, shares in example.shares.items():
            losses[row, place - 1] = -sum(share * chances[row, place - 1, token] for token, share in shares.items())
    return (losses * weights[:, 1:]).sum() / weights[:, 1:].sum()


def learning_rate(step: int, steps: int) -> float:
    """A short warm-up, then a cosine down to almost nothing."""
    warm_up = min(1.0, (step + 1) / WARM_UP_STEPS)
    cosine = 0.5 * (1 + math.cos(math.pi * step / steps))
    return LEARNING_RATE * warm_up * (FINAL_RATE + (1 - FINAL_RATE) * cosine)


def fit(model: Any, examples: list[Example], steps: int, rng: random.Random) -> float:
    """Train and return the mean loss of the last steps."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95), weight_decay=WEIGHT_DECAY)
    losses: list[float] = []
    model.train()
    progress = tqdm(batches(examples, rng), total=steps, desc="training", unit="step")
    for step, batch in enumerate(progress):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps)
        loss = batch_loss(model, batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        progress.set_postfix(loss=f"{sum(losses[-50:]) / len(losses[-50:]):.4f}", refresh=False)
    model.eval()
    return sum(losses[-50:]) / len(losses[-50:])


# ------------------------------------------------------------------------------------------------ files
def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write one JSON file, readable and with a newline at its end."""
    path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


def write_files(out: Path, model: Any, tokenizer: Tokenizer, result: Result) -> None:
    """Write all files to a folder beside the target, then move each into its place."""
    end_id, newline_id = token_id(tokenizer, END_OF_TEXT), token_id(tokenizer, NEWLINE)
    generation = {"do_sample": False, "eos_token_id": [end_id, newline_id], "pad_token_id": end_id}
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="model-", dir=out) as name:
        folder = Path(name)
        model.half().save_pretrained(folder)
        tokenizer.save(str(folder / "tokenizer.json"))
        write_json(folder / "generation_config.json", generation)
        write_json(folder / "tokenizer_config.json", TOKENIZER_CONFIG)
        write_json(folder / "training.json", asdict(result))
        for file in sorted(folder.iterdir()):
            file.chmod(0o644)
            file.replace(out / file.name)


def run(options: Options) -> Result:
    """Train from nothing and write the model."""
    wall, cpu = time.perf_counter(), time.process_time()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    scenario = corpus.load_scenario()
    tokenizer = train_tokenizer(scenario, random.Random(options.seed))
    rng = random.Random(options.seed + 1)
    documents = corpus.Corpus(scenario, rng).documents(options.steps * BATCH)
    examples = [encode(tokenizer, document) for document in documents]
    model = make_model(tokenizer.get_vocab_size(), token_id(tokenizer, END_OF_TEXT))
    loss = fit(model, examples, options.steps, rng)
    result = Result(
        steps=options.steps,
        seed=options.seed,
        threads=options.threads,
        documents=len(examples),
        tokens=sum(len(example.ids) for example in examples),
        vocabulary=tokenizer.get_vocab_size(),
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        final_loss=round(loss, 4),
        wall_seconds=round(time.perf_counter() - wall, 1),
        cpu_seconds=round(time.process_time() - cpu, 1),
    )
    write_files(options.out, model, tokenizer, result)
    return result


def main() -> None:
    """Train as the command line says and print what came of it."""
    result = run(parse_options())
    print(
        f"final loss {result.final_loss}, {result.steps} steps, {result.parameters} parameters, "
        f"{result.wall_seconds} s wall, {result.cpu_seconds} s CPU"
    )


if __name__ == "__main__":
    main()
