"""Prompts of a scenario as a tokenizer with a chat template has them."""

from __future__ import annotations

import pytest

from radixviz.engine.runner import SimulatedRunner
from radixviz.introduction import player_intro
from radixviz.model.tokenizer import TextTokenizer
from radixviz.scenario.dry_run import dry_run, find_pool
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.scenario.player import play
from radixviz.scenario.schema import Scenario
from radixviz.timeline import RunInfo, Timeline
from tests.scenario.templated import templated

SYSTEM = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n"
HEADER = "<|im_end|>\n<|im_start|>assistant\n"
SAID = 40


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> TextTokenizer:
    """The tiny model's with ChatML."""
    return templated(tmp_path_factory.mktemp("templated"))


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    """The shipped story."""
    return load_scenario(find_scenario("nine-stages"))


def played(scenario: Scenario, tokenizer: TextTokenizer, *, ends: bool, followed: bool) -> Timeline:
    """Play it with replies of one token again and again; with `ends` the third closes the turn."""
    (end,) = tokenizer.stop_token_ids
    runner = SimulatedRunner(lambda sequence, number: end if ends and number == 2 else SAID + number)
    run = RunInfo("simulated", "none", "none", 1, 5000, 0)
    return play(scenario, runner, tokenizer, run=run, follow_stop_tokens=followed)


@pytest.mark.parametrize("followed", [True, False])
@pytest.mark.parametrize(("ends", "reply"), [(True, (SAID, SAID + 1)), (False, (SAID, SAID + 1, SAID + 2))])
def test_a_reply_is_closed_once(
    scenario: Scenario, tokenizer: TextTokenizer, ends: bool, reply: tuple[int, ...], followed: bool
) -> None:
    """Whether it ended itself or at the scenario's length: then comes the turn, which begins with what closes it."""
    timeline = played(scenario, tokenizer, ends=ends, followed=followed)
    (first,), (second,) = (timeline.last_frame(stage).sequences for stage in (2, 3))
    opening = tokenizer.chat_opening("You are a helpful assistant.", "Hello!")
    turn = tokenizer.chat_turn(scenario.request[1].user or "")
    assert first.token_ids[: first.prompt_len] == opening
    assert second.token_ids[: second.prompt_len] == opening + reply + turn
    assert (turn[0],) == tokenizer.stop_token_ids
    assert second.prefix_len == len(opening) + 2  # the last token that was sampled has no K and V


def test_chats_are_templated_and_raw_texts_are_not(scenario: Scenario, tokenizer: TextTokenizer) -> None:
    """Also where a request goes on from a sample; the words that a timeline carries say what is sent."""
    requests = dry_run(scenario, tokenizer, page_size=1, pool_pages=5000, taught=False).script.requests
    assert requests["A1"].prompt_text == f"{SYSTEM}Hello!{HEADER}"
    assert requests["A3"].prompt_text == f"<|im_end|>\n<|im_start|>user\nHow about 5 shelves?{HEADER}"
    assert requests["F1"].prompt_text.endswith("\nQuestion 3: What is 8 + 7?\nAnswer 3:")
    assert requests["E1"].prompt_text == "\nQuestion 4: Why did you double 7?\nAnswer 4:"


def test_the_introduction_shows_the_prompts_that_are_sent(scenario: Scenario, tokenizer: TextTokenizer) -> None:
    """A later turn of a session opens a chat of its own there, as nothing has been said yet."""
    rows = player_intro(scenario, tokenizer).prompts
    said = ["Hello!", "What can you do?", "Write a story about a robot."]
    assert [b"".join(row.tokens).decode() for row in rows] == [f"{SYSTEM}{text}{HEADER}" for text in said]


def test_a_pool_is_found_for_templated_chats(scenario: Scenario, tokenizer: TextTokenizer) -> None:
    """All nine stages go as the figure shows them; the edge of A is cut behind the header of the user's turn."""
    pages = find_pool(scenario, tokenizer, page_size=1, taught=False)
    assert pages is not None
    timeline = dry_run(scenario, tokenizer, page_size=1, pool_pages=pages, taught=False)
    assert timeline.unmet == ()
    (view,) = timeline.last_frame(4).sequences
    assert timeline.text(view.token_ids[: view.prefix_len]) == SYSTEM
