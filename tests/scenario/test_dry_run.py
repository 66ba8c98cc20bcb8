"""Dry runs: pools found without a model."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from radixviz.engine.tokenizer import plain_opening, plain_turn
from radixviz.errors import BadPageSize
from radixviz.model.folder import TINY, locate
from radixviz.model.tokenizer import TextTokenizer
from radixviz.scenario.dry_run import dry_run, find_pool, scenario_pages
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.scenario.schema import Scenario


class Letters:
    """A tokenizer of one token for each character, that may have no stop token."""

    vocabulary_size = 1 << 17

    def __init__(self, stop_token_ids: tuple[int, ...]) -> None:
        self.stop_token_ids = stop_token_ids

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the characters' numbers."""
        return tuple(map(ord, text))

    def chat_opening(self, system: str, user: str) -> tuple[int, ...]:
        """Return the characters of plain text."""
        return self.encode(plain_opening(system, user))

    def chat_turn(self, user: str) -> tuple[int, ...]:
        """Return the characters of plain text."""
        return self.encode(plain_turn(user))

    def decode(self, token_ids: Sequence[int]) -> str:
        """Return the characters."""
        return "".join(map(chr, token_ids))

    def token_bytes(self, token_id: int) -> bytes:
        """Return the character's bytes; those of others do not matter here."""
        return chr(token_id).encode("utf-8", "replace")


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    """The shipped story."""
    return load_scenario(find_scenario("nine-stages"))


def test_a_pool_holds_as_many_tokens_whatever_the_page_size(scenario: Scenario) -> None:
    """300 pages of one token are 75 of four and 19 of sixteen."""
    assert [scenario_pages(scenario, size) for size in (1, 4, 16)] == [300, 75, 19]


def test_at_its_own_page_size_the_scenario_s_pool_is_taken(scenario: Scenario) -> None:
    """The author's pool is not searched for."""
    assert find_pool(scenario, Letters((0,)), page_size=1) == 300


def test_a_page_size_of_zero_is_refused(scenario: Scenario) -> None:
    """A page holds at least one token."""
    with pytest.raises(BadPageSize):
        find_pool(scenario, Letters((0,)), page_size=0)


@pytest.mark.parametrize("stop_token_ids", [(0,), ()])
def test_replies_have_the_taught_text_and_then_end(scenario: Scenario, stop_token_ids: tuple[int, ...]) -> None:
    """A model without a stop token can be tried as well: its replies end with their length."""
    timeline = dry_run(scenario, Letters(stop_token_ids), page_size=1, pool_pages=5000)
    first = timeline.last_frame(2).sequences[0]

    assert timeline.text(first.output_ids).startswith(" Hi!"[:3])
    assert first.output_len == 3


def test_a_model_that_was_taught_nothing_says_something_different_each_time(scenario: Scenario) -> None:
    """Every reply has its length, and no two sequences of one prompt begin alike; one repeats stage 6."""
    timeline = dry_run(scenario, Letters((0,)), page_size=1, pool_pages=5000, taught=False)
    samples = timeline.last_frame(9).sequences

    assert [view.output_len for view in samples] == [10, 25, 25, 26]
    assert samples[0].output_ids == timeline.last_frame(6).sequences[0].output_ids
    assert len({view.output_ids[0] for view in samples}) == 4


@pytest.mark.parametrize(("page_size", "pool_pages"), [(301, 1), (64, 3), (100, 2), (32, 8), (8, 30)])
def test_a_pool_that_is_too_small_for_the_story_plays_what_really_happens(
    scenario: Scenario, page_size: int, pool_pages: int
) -> None:
    """Samples are sent back and computed anew, and the timeline says what was expected and did not happen."""
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    timeline = dry_run(scenario, tokenizer, page_size=page_size, pool_pages=pool_pages)
    assert timeline.unmet
    for stage in timeline.stages():
        states = [view.state for view in timeline.last_frame(stage).sequences]
        assert states == ["finished"] * len(states)


def test_a_model_that_was_taught_nothing_gets_a_pool_that_tells_the_story(scenario: Scenario) -> None:
    """All evictions, splits and looks are the figure's."""
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    pages = find_pool(scenario, tokenizer, page_size=1, taught=False)
    assert pages is not None
    assert dry_run(scenario, tokenizer, page_size=1, pool_pages=pages, taught=False).unmet == ()
