from __future__ import annotations

import pytest

from radixviz.engine.runner import SimulatedRunner
from radixviz.events import Event, NodesUnlocked, PagesFreed, SequenceCancelled, TokenSampled
from radixviz.model.folder import TINY, locate
from radixviz.model.tokenizer import TextTokenizer
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.scenario.player import PlayCancelled, play
from radixviz.timeline import RunInfo


def test_a_play_that_is_called_off_cancels_its_requests() -> None:
    """After the third token: the request ends, what it held is free, and no token comes any more."""
    scenario = load_scenario(find_scenario("nine-stages"))
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    told: list[Event] = []
    run = RunInfo("simulated", "none", "none", 1, 300, 0)

    def sampled() -> int:
        return sum(isinstance(event, TokenSampled) for event in told)

    with pytest.raises(PlayCancelled):
        play(
            scenario,
            SimulatedRunner(lambda sequence, number: number + 5),
            tokenizer,
            run=run,
            follow_stop_tokens=False,
            on_event=told.append,
            is_cancelled=lambda: sampled() >= 3,
        )
    assert sampled() == 3
    last = told[told.index(next(event for event in told if isinstance(event, SequenceCancelled))) :]
    assert last == [SequenceCancelled("A2")]

    assert all(event.reason != "evicted" for event in told if isinstance(event, PagesFreed))
    assert any(isinstance(event, NodesUnlocked) for event in told)
