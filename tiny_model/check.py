"""Check the shipped model: the scripted replies, the four samples, and 40 held-out prompts.

    python tiny_model/check.py [--model FOLDER]

Runs on plain transformers, so it says what the weights can do and nothing about the product's own cache. A held-out
prompt pairs a phrasing with a content that never met in training (the rule is in corpus.py). Exit status 1 when a
scripted text differs or fewer than 36 of the 40 are right.
"""

import argparse
import os
import random
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import corpus
import tables
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

SEED = 0
PER_KIND = 8
NEEDED = 36
LONGEST_REPLY = 160


@dataclass(frozen=True)
class Written:
    """Token ids that the model wrote, the stop token included, and the probability that each had."""

    ids: list[int]
    chances: list[float]


class TinyModel:
    """The model in float32 and its tokenizer; every token is computed from the whole text, without any cache."""

    def __init__(self, folder: Path) -> None:
        """Load both from a folder with the shipped files."""
        self.tokenizer: Any = AutoTokenizer.from_pretrained(str(folder))
        self.model: Any = AutoModelForCausalLM.from_pretrained(str(folder), dtype=torch.float32)
        self.stop_ids: list[int] = list(self.model.generation_config.eos_token_id)

    def encode(self, text: str) -> list[int]:
        """Token ids of a text, nothing added."""
        return [int(token) for token in self.tokenizer.encode(text, add_special_tokens=False)]

    def decode(self, ids: list[int]) -> str:
        """The text of written tokens without the stop token."""
        return str(self.tokenizer.decode([token for token in ids if token not in self.stop_ids]))

    def write(self, prompt: list[int], u: float | None = None) -> Written:
        """Continue a prompt until a stop token: greedily, or with a draw u from [0, 1) at temperature 1.

        The draw is arithmetic decoding: each step lays the probabilities out in descending order, takes the token
        whose interval holds u, and stretches that interval to [0, 1) for the next step.
        """
        ids: list[int] = []
        taken: list[float] = []
        with torch.inference_mode():
            while len(ids) < LONGEST_REPLY and (not ids or ids[-1] not in self.stop_ids):
                chances = self.next_chances(prompt + ids)
                token, u = (int(chances.argmax()), None) if u is None else draw(chances, u)
                taken.append(float(chances[token]))
                ids.append(token)
        return Written(ids, taken)

    def next_chances(self, ids: list[int]) -> torch.Tensor:
        """The probabilities of the next token, computed from the whole text."""
        logits: torch.Tensor = self.model(input_ids=torch.tensor([ids]), use_cache=False).logits
        return torch.softmax(logits[0, -1].double(), 0)

    def opening_chances(self, prompt: list[int], count: int) -> list[tuple[str, float]]:
        """The most probable first tokens of a reply."""
        with torch.inference_mode():
            best = self.next_chances(prompt).topk(count)
        return [(self.tokenizer.decode([int(i)]), float(p)) for p, i in zip(best.values, best.indices, strict=True)]


def draw(chances: torch.Tensor, u: float) -> tuple[int, float]:
    """The token whose interval holds u, and u stretched to that interval; equal chances go by token id."""
    low = 0.0
    order = torch.argsort(chances, descending=True, stable=True).tolist()
    for token in order:
        chance = float(chances[token])
        if u < low + chance:
            return int(token), (u - low) / chance
        low += chance
    return int(order[-1]), u  # rounding left u beyond the last interval


# ------------------------------------------------------------------------------------------------ the scenario
def scripted_prompts(model: TinyModel, scenario: corpus.Scenario) -> dict[str, list[int]]:
    """The prompt ids of every scripted request; later turns continue the ids of earlier ones."""
    prompts: dict[str, list[int]] = {}
    history: dict[str, list[int]] = {}
    for name, request in scenario.requests.items():
        if request["kind"] == "chat":
            session = str(request["session"])
            before = history.get(session, [])
            ask = str(request.get("system", "")) + corpus.user_turn(str(request["user"]))
            prompts[name] = before + model.encode(ask)
            history[session] = prompts[name] + model.encode(f" {request['reply']}")
        elif "continues" in request:
            origin = request["continues"]
            sample = scenario.requests[origin["request"]]["replies"][origin["sample"] - 1]
            prompts[name] = prompts[origin["request"]] + model.encode(f" {sample}") + model.encode(request["text"])
        else:
            prompts[name] = model.encode(scenario.texts[request["before"]] + str(request["text"]))
    return prompts


def check_script(model: TinyModel, scenario: corpus.Scenario) -> list[str]:
    """Compare every scripted reply and sample; returns the differences."""
    faults: list[str] = []
    lowest = 1.0
    prompts = scripted_prompts(model, scenario)
    sampled = [prompts[name] for name, request in scenario.requests.items() if "samples" in request]
    for name, prompt in prompts.items():
        request = scenario.requests[name]
        if "samples" not in request:
            written = model.write(prompt)
            lowest = min(lowest, *written.chances[prompt in sampled :])
            faults += differences(name, model.decode(written.ids), str(request["reply"]))
            continue
        for number, expected in enumerate(request["replies"]):
            u = (number + 0.5) / int(request["samples"])
            faults += differences(f"{name} sample {number + 1}", model.decode(model.write(prompt, u).ids), expected)
        openings = model.opening_chances(prompt, len(request["replies"]))
        print("openings: " + ", ".join(f"{text.strip()} {chance:.3f}" for text, chance in openings))
    print(f"lowest probability of a token in the scripted greedy replies, sampled opening aside: {lowest:.4f}")
    return faults


def differences(name: str, got: str, expected: str) -> list[str]:
    """One line when a reply is not the scripted one."""
    return [] if got == f" {expected}" else [f"{name}: expected {expected!r}, got {got!r}"]


# ------------------------------------------------------------------------------------------------ held out
def is_right(prompt: corpus.Prompt, reply: str) -> bool:
    """Grade a reply to a held-out prompt by its kind."""
    if prompt.kind == "story":
        return prompt.expected in reply.replace(".", "").split() and reply.endswith(".")
    if prompt.kind == "greeting":
        return bool(reply) and reply not in (tables.FALLBACK, tables.TOO_BIG)
    return reply == prompt.expected


def check_held_out(model: TinyModel, scenario: corpus.Scenario) -> int:
    """Ask the held-out prompts, print a table, and return how many are right."""
    right: Counter[str] = Counter()
    for prompt in corpus.held_out_prompts(scenario, PER_KIND, random.Random(SEED)):
        reply = model.decode(model.write(model.encode(prompt.text)).ids).removeprefix(" ")
        good = is_right(prompt, reply)
        right[prompt.kind] += good
        print(f"{'right' if good else 'WRONG'}  {prompt.kind:9} {last_question(prompt.text):52} {reply[:96]}")
    for kind, count in right.items():
        print(f"{kind:9} {count}/{PER_KIND}")
    return right.total()


def last_question(text: str) -> str:
    """The question that a prompt ends with, without its format."""
    return text.split("\n")[-2].split(": ", 1)[1]


def main() -> int:
    """Run all checks; the exit status says whether the model may ship."""
    parser = argparse.ArgumentParser(description="Check the tiny model's scripted and held-out replies.")
    parser.add_argument("--model", type=Path, default=Path(__file__).resolve().parent, help="folder of the model")
    model, scenario = TinyModel(parser.parse_args().model), corpus.load_scenario()
    faults = check_script(model, scenario)
    print("\n".join(faults) if faults else "all scripted replies and samples are exact")
    total = check_held_out(model, scenario)
    print(f"held out: {total}/{5 * PER_KIND} right, {NEEDED} needed")
    return 1 if faults or total < NEEDED else 0


if __name__ == "__main__":
    sys.exit(main())
