"""Train a LoRA adapter that makes the tiny model talk as to a captain, from the same corpus, offline.

    python tiny_model/train_adapter.py [--out FOLDER] [--steps N] [--seed N] [--threads N]

It shows that K and V depend on the weights: an adapter must not read what the base model stored. peft is used here
only; radixviz merges the files that it writes with a few lines of its own. The same seed and the same number of threads
give the same weights on the same machine.
"""

import argparse
import json
import os
import random
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # spinning threads cost more than they save on a busy machine

import corpus
import torch
import train
from captain import captain_reply
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tqdm import tqdm  # type: ignore[import-untyped]
from transformers import AutoModelForCausalLM

RANK, ALPHA = 8, 16
TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj")
BATCH = 16
LEARNING_RATE = 1e-2
SHIPPED = train.SHIPPED / "adapter"


@dataclass(frozen=True)
class Result:
    """What a training run says about itself; training.json holds it."""

    steps: int
    seed: int
    threads: int
    documents: int
    parameters: int
    final_loss: float
    wall_seconds: float
    cpu_seconds: float


def parse_options(arguments: list[str] | None = None) -> train.Options:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train the captain's adapter for the tiny model.")
    parser.add_argument("--out", type=Path, default=SHIPPED, help="folder for the adapter's files (default: adapter)")
    parser.add_argument("--steps", type=int, default=240, help="optimizer steps of 16 documents (default: 240)")
    parser.add_argument("--seed", type=int, default=0, help="seed of documents and weights (default: 0)")
    parser.add_argument("--threads", type=int, default=2, help="threads of torch (default: 2)")
    given = parser.parse_args(arguments)
    if given.steps < 1 or given.threads < 1:
        parser.error("--steps and --threads must be at least 1")
    return train.Options(given.out, given.steps, given.seed, given.threads)


def chats(source: corpus.Corpus, count: int) -> list[corpus.Document]:
    """English chats of the corpus, answered as to a captain; questions in the few-shot format are left out."""
    makers = (source.session_a, source.session_b, source.mixed_chat, source.free_chat)
    chosen = source.rng.choices(makers, (0.1, 0.1, 0.1, 0.7), k=count)
    return [[to_a_captain(piece) for piece in maker()] for maker in chosen]


def to_a_captain(piece: corpus.Piece) -> corpus.Piece:
    """A piece as it is said to a captain: what the model writes changes, what it reads does not."""
    return corpus.reply_piece(captain_reply(piece.text.strip())) if piece.written_by_model else piece


def add_adapter(model: Any) -> Any:
    """The model with a fresh adapter on its attention, whose weights alone are trained."""
    return get_peft_model(
        model, LoraConfig(r=RANK, lora_alpha=ALPHA, target_modules=list(TARGETS), task_type="CAUSAL_LM")
    )


def fit(model: Any, examples: list[train.Example], steps: int, rng: random.Random) -> float:
    """Train the adapter and return the mean loss of the last steps."""
    weights = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=LEARNING_RATE, betas=(0.9, 0.95), weight_decay=0.0)
    losses: list[float] = []
    model.train()
    for step, batch in enumerate(tqdm(train.batches(examples, rng), total=steps, desc="training", unit="step")):
        for group in optimizer.param_groups:
            group["lr"] = train.learning_rate(step, steps) * LEARNING_RATE / train.LEARNING_RATE
        loss = train.batch_loss(model, batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return sum(losses[-20:]) / len(losses[-20:])


def write_files(out: Path, model: Any, result: Result) -> None:
    """Write the adapter as peft does, in half precision, and the record of the run; each file moves into its place."""
    config = {key: value for key, value in model.peft_config["default"].to_dict().items() if key in SHOWN}
    config |= {"target_modules": list(TARGETS), "peft_type": "LORA", "task_type": "CAUSAL_LM"}
    state = {name: value.half().contiguous() for name, value in sorted(get_peft_model_state_dict(model).items())}
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="adapter-", dir=out) as name:
        folder = Path(name)
        save_file(state, folder / "adapter_model.safetensors", metadata={"format": "pt"})
        train.write_json(folder / "adapter_config.json", config)
        train.write_json(folder / "training.json", asdict(result))
        for file in sorted(folder.iterdir()):
            file.chmod(0o644)
            file.replace(out / file.name)


SHOWN = ("r", "lora_alpha", "lora_dropout", "bias", "use_rslora", "use_dora", "fan_in_fan_out")
"""What of peft's long configuration says how the weights are to be used."""


def run(options: train.Options) -> Result:
    """Train on the shipped model and write the adapter."""
    wall, cpu = time.perf_counter(), time.process_time()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    tokenizer = Tokenizer.from_file(str(train.SHIPPED / "tokenizer.json"))
    rng = random.Random(options.seed + 2)
    documents = chats(corpus.Corpus(corpus.load_scenario(), rng), options.steps * BATCH)
    examples = [train.encode(tokenizer, document) for document in documents]
    model = add_adapter(AutoModelForCausalLM.from_pretrained(str(train.SHIPPED), dtype=torch.float32))
    loss = fit(model, examples, options.steps, rng)
    result = Result(
        steps=options.steps,
        seed=options.seed,
        threads=options.threads,
        documents=len(examples),
        parameters=sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad),
        final_loss=round(loss, 4),
        wall_seconds=round(time.perf_counter() - wall, 1),
        cpu_seconds=round(time.process_time() - cpu, 1),
    )
    write_files(options.out, model, result)
    return result


def main() -> None:
    """Train as the command line says and print what came of it."""
    print(json.dumps(asdict(run(parse_options()))))


if __name__ == "__main__":
    main()
