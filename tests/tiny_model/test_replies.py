import random
from typing import Any

import corpus
import pytest
import tables

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import check  # noqa: E402 (it needs both)

GREEDY = ("A1", "A2", "A3", "B1", "B2", "F1", "F2", "F3", "E1")


def logits_of(model: Any, ids: list[int]) -> Any:
    """The logits at every position, computed from the whole text."""
    with torch.inference_mode():
        return model(input_ids=torch.tensor([ids]), use_cache=False).logits[0].double()


def generate(model: Any, prompt: list[int]) -> list[int]:
    """What plain transformers writes, its own stop tokens deciding the end."""
    ids = torch.tensor([prompt])
    out = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), max_new_tokens=200)
    return [int(token) for token in out[0, len(prompt) :]]


def stratified(model: Any, prompt: list[int], u: float, stops: tuple[int, ...]) -> list[int]:
    """Arithmetic decoding of u: intervals in descending order of probability, ties by token id."""
    ids: list[int] = []
    while not ids or ids[-1] not in stops:
        chances = torch.softmax(logits_of(model, prompt + ids)[-1], 0).tolist()
        low = 0.0
        for chance, token in sorted((-chance, token) for token, chance in enumerate(chances)):
            if u < low - chance:
                ids.append(token)
                u = (u - low) / -chance
                break
            low -= chance
    return ids


def test_greedy_replies_are_the_scripted_texts(
    model: Any, tokenizer: Any, requests: dict[str, dict[str, Any]], prompts: dict[str, list[int]]
) -> None:
    """The model writes every scripted reply exactly and ends it with the newline."""
    written = {name: tokenizer.decode(generate(model, prompts[name])) for name in GREEDY}
    assert written == {name: f" {requests[name]['reply']}\n" for name in GREEDY}


def test_greedy_replies_leave_no_doubt(
    model: Any, tokenizer: Any, requests: dict[str, dict[str, Any]], prompts: dict[str, list[int]]
) -> None:
    """Beyond F1's opening, which is one of four, each scripted token has nearly all of the probability."""
    lowest: dict[str, float] = {}
    for name in GREEDY:
        reply = tokenizer.encode(f" {requests[name]['reply']}\n").ids
        chances = torch.softmax(logits_of(model, prompts[name] + reply), 1)
        start = len(prompts[name]) - 1
        steps = [float(chances[start + k, token]) for k, token in enumerate(reply)]
        lowest[name] = min(steps[1:] if name == "F1" else steps)
    assert {name: chance for name, chance in lowest.items() if chance < 0.97} == {}


def test_four_stratified_samples_are_the_scripted_answers(
    model: Any, tokenizer: Any, requests: dict[str, dict[str, Any]], prompts: dict[str, list[int]]
) -> None:
    """At temperature 1 the draws 1/8, 3/8, 5/8 and 7/8 give the four scripted answers in their order."""
    stops = tuple(model.generation_config.eos_token_id)
    written = [
        tokenizer.decode(stratified(model, prompts["F4"], (i + 0.5) / 4, stops)).removesuffix("\n") for i in range(4)
    ]
    assert written == [f" {reply}" for reply in requests["F4"]["replies"]]


def test_each_opening_holds_its_draw_with_a_margin(model: Any, prompts: dict[str, list[int]]) -> None:
    """The draws stay 0.02 away from the borders of the openings, so rounding on another machine changes nothing."""
    chances = torch.softmax(logits_of(model, prompts["F4"])[-1], 0).sort(descending=True).values[:4]
    borders = [0.0, *torch.cumsum(chances, 0).tolist()]
    draws = [(i + 0.5) / 4 for i in range(4)]
    near = [u for i, u in enumerate(draws) if not borders[i] + 0.02 <= u <= borders[i + 1] - 0.02]
    assert near == []


def test_all_81_sums_are_right(model: Any, tokenizer: Any) -> None:
    """Every sum of two one-digit numbers is right in the plainest phrasing."""
    asked = [corpus.sum_turn(0, content) for content in range(81)]
    prompts = [tokenizer.encode(tables.SYSTEM + corpus.user_turn(user)).ids for user, _ in asked]
    out = model.generate(
        input_ids=torch.tensor(prompts), attention_mask=torch.ones(81, len(prompts[0]), dtype=torch.long),
        max_new_tokens=12,
    )  # fmt: skip
    replies = [tokenizer.decode(row[len(prompts[0]) :].tolist()).split("\n")[0] for row in out]
    assert replies == [f" {reply}" for _, reply in asked]


def test_held_out_prompts_are_answered(model: Any, tokenizer: Any) -> None:
    """At least 36 of 40 prompts whose phrasing never met their content in training are answered rightly."""
    asked = corpus.held_out_prompts(corpus.load_scenario(), check.PER_KIND, random.Random(check.SEED))
    replies = [tokenizer.decode(generate(model, tokenizer.encode(prompt.text).ids)) for prompt in asked]
    right = [check.is_right(prompt, reply.strip()) for prompt, reply in zip(asked, replies, strict=True)]
    assert (len(right), sum(right) >= check.NEEDED) == (40, True)
