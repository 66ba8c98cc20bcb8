import math
import re
from typing import Any

Requests = dict[str, dict[str, Any]]


def count(tokenizer: Any, text: str) -> int:
    """Tokens of a text."""
    return len(tokenizer.encode(text).ids)


def turn(request: dict[str, Any]) -> str:
    """A chat turn from its newline to the end of its reply."""
    return f"\nUser: {request['user']}\nAssistant: {request['reply']}"


def test_prompt_put_together_from_parts_has_the_ids_of_the_whole_text(
    tokenizer: Any, parts: dict[str, list[str]], prompts: dict[str, list[int]]
) -> None:
    """A conversation cut at a newline or before a space has the token ids of its whole text."""
    assert {name: tokenizer.encode("".join(texts)).ids for name, texts in parts.items()} == prompts


def test_examples_and_question_are_cut_where_tokens_end(
    tokenizer: Any, scenario: dict[str, Any], prompts: dict[str, list[int]]
) -> None:
    """The few-shot examples are a prefix of every few-shot prompt in token ids too."""
    shared = tokenizer.encode(scenario["text"]["examples"]["text"]).ids
    assert [prompts[name][: len(shared)] == shared for name in ("F1", "F2", "F3", "F4", "E1")] == [True] * 5


def test_reply_tokens_are_the_tokenizers_count(tokenizer: Any, requests: Requests) -> None:
    """The scenario's reply_tokens count each reply's tokens and the stop token."""
    written = {name: request["reply_tokens"] for name, request in requests.items()}
    counted = {
        name: [count(tokenizer, f" {reply}\n") for reply in request["replies"]]
        if "replies" in request
        else count(tokenizer, f" {request['reply']}\n")
        for name, request in requests.items()
    }
    assert written == counted


def test_every_scripted_word_is_one_token(tokenizer: Any, requests: Requests, parts: dict[str, list[str]]) -> None:
    """Words, digits and marks of the scripted texts are whole tokens, so that token strips read well."""
    texts = ["".join(texts) for texts in parts.values()]
    texts += [f" {reply}" for request in requests.values() for reply in request.get("replies", [request.get("reply")])]
    cut = [text for text in texts if count(tokenizer, text) != len(re.findall(r"\n| ?[A-Za-z]+| ?[^\sA-Za-z]", text))]
    assert cut == []


def test_questions_and_openings_differ_in_their_first_token(tokenizer: Any, requests: Requests) -> None:
    """The three few-shot questions, and the four samples, part at their first token."""
    questions = [tokenizer.encode(requests[name]["text"]).tokens[0] for name in ("F1", "F2", "F3")]
    openings = [tokenizer.encode(f" {reply}").tokens[0] for reply in requests["F4"]["replies"]]
    assert (questions, openings) == (["ĠWhat", "ĠWhen", "ĠHow"], ["ĠThis", "ĠLet", "ĠWe", "ĠTo"])


def test_first_sample_is_the_earlier_answer(requests: Requests) -> None:
    """The first sample repeats the answer that the same question got in stage 6."""
    assert (requests["F4"]["text"], requests["F4"]["replies"][0]) == (requests["F1"]["text"], requests["F1"]["reply"])


def test_any_text_survives_the_tokenizer(tokenizer: Any) -> None:
    """Text that was never trained comes back as it went in."""
    texts = ["Zebras?  Two  spaces\n\n- and 1,024 tabs\t!", "基数树 🌳", "naïve café 'quoted'"]
    assert [tokenizer.decode(tokenizer.encode(text).ids) for text in texts] == texts


def test_lengths_let_the_pool_of_the_scenario_tell_the_story(
    tokenizer: Any, scenario: dict[str, Any], requests: Requests
) -> None:
    """The texts are as long as the nine stages need for evictions at the right moments, with room on both sides."""
    r = requests
    shared = count(tokenizer, r["A1"]["system"] + "\nUser:")  # S
    first = count(tokenizer, r["A1"]["system"] + turn(r["A1"])) - shared  # H
    second, third = count(tokenizer, turn(r["A2"])), count(tokenizer, turn(r["A3"]))  # C and what makes it I
    b1 = count(tokenizer, r["B1"]["system"] + turn(r["B1"])) - shared  # D
    b2 = count(tokenizer, turn(r["B2"]))  # W
    few = [count(tokenizer, f"{r[name]['text']} {r[name]['reply']}") for name in ("F1", "F2", "F3")]
    examples = count(tokenizer, scenario["text"]["examples"]["text"])
    branch, pool = examples + sum(few), scenario["pool_pages"]
    lost = few[1] + few[2]  # K and L, gone before i is
    after_return = shared + first + branch + second + third
    samples = sum(count(tokenizer, f" {reply}") for reply in r["F4"]["replies"][1:])  # what runs when the first ended
    bounds = {  # the pool is at least and less than, in pages of one token
        "stage 5 evicts c while B writes": (shared + first + second + b1 + 10, shared + first + second + b1 + b2),
        "stages 6 and 7 evict nothing": (shared + first + b1 + b2 + branch, math.inf),
        "stage 8 evicts h and g": (after_return, after_return + b1),
        "stage 9 evicts k, l and i": (shared + first + examples + few[0] + samples, after_return - lost + samples),
    }
    assert {name: b for name, b in bounds.items() if not b[0] + 6 <= pool <= b[1] - 6} == {}
