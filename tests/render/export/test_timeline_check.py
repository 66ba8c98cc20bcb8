from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from radixviz.errors import NotTimeline
from radixviz.model.folder import TINY, locate
from radixviz.model.tokenizer import TextTokenizer
from radixviz.render.export.frame_svg import frame_svg
from radixviz.render.export.handout import Handout, handout_html
from radixviz.render.export.timeline_json import read_timeline, write_timeline
from radixviz.render.player_data import player_data
from radixviz.scenario.dry_run import dry_run
from radixviz.scenario.loader import load_scenario
from tests.scenario.small_scenario import SMALL

TRIES = 25
"""A few of many thousand that have been tried: each takes a tenth of a second."""
WORDS = {"en": "x", "zh": "x"}
QUESTION: dict[str, Any] = {
    "kind": "number",
    "ask": WORDS,
    "why": WORDS,
    "amount": "prompt - 1",
    "answers": [],
    "sequence": None,
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the smallest scenario as it is played, as JSON, with a question before its last frame."""
    path = tmp_path_factory.mktemp("small") / "small.toml"
    path.write_text(SMALL, encoding="utf-8")
    scenario = load_scenario(path)
    tokenizer = TextTokenizer.from_folder(locate(TINY))
    told = dry_run(scenario, tokenizer, page_size=scenario.page_size, pool_pages=scenario.pool_pages)
    found: dict[str, Any] = json.loads(write_timeline(told))
    found["script"]["stages"][3]["questions"] = [QUESTION]
    found["frames"][23]["question"] = 0
    read(found)
    return found


def read(whole: dict[str, Any]) -> None:
    """Read it and show all that can be shown of it."""
    told = read_timeline(json.dumps(whole).encode(), "a.json")
    player_data(told, None)
    frame_svg(told, told.frames[-1], "zh", None)
    handout_html(told, Handout("key", ("en", "zh"), None))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("frames.3.index", 7),
        ("frames.3.stage", 8),
        ("frames.3.stage_frame", 1),
        ("frames.12.stop", 9),
        ("frames.23.question", 4),
        ("frames.20.tree.nodes.1.parent_id", 99),
        ("frames.20.tree.nodes.1.node_id", 1),
        ("frames.20.tree.nodes.0.slots", []),
        ("frames.20.tree.nodes.0.token_ids", [987654]),
        ("frames.20.tree.page_size", 0),
        ("frames.20.pool.page_size", 2),
        ("frames.20.sequences.0.spans", []),
        ("frames.20.sequences.0.prompt_len", -1),
        ("frames.20.sequences.0.cached_tokens", 999),
        ("script.title", {"en": "x"}),
        ("script.stages.2.stops.0.say", {"en": "{x}", "zh": "x"}),
        ("script.stages.3.questions.0.amount", "prompt *"),
        ("script.stages.3.questions.0.ask", {"en": "{x}", "zh": "x"}),
    ],
)
def test_a_part_that_does_not_fit_is_named(whole: dict[str, Any], path: str, value: Any) -> None:
    """The types are right, but the rest says otherwise: the place is said, and nothing is shown."""
    changed = json.loads(json.dumps(whole))
    *parents, last = path.split(".")
    place = changed
    for name in parents:
        place = place[int(name)] if name.isdecimal() else place[name]
    place[last] = value
    with pytest.raises(NotTimeline) as raised:
        read(changed)
    assert raised.value.detail == _place(path)


def test_whatever_is_changed_it_is_refused_or_shown(whole: dict[str, Any]) -> None:
    """One value anywhere is another one of its type: the file is refused, or everything can be shown of it."""
    random = Random(45)
    paths = list(_paths(whole))
    refused = 0
    for _ in range(TRIES):
        changed = json.loads(json.dumps(whole))
        *parents, last = random.choice(paths)
        place = changed
        for name in parents:
            place = place[name]
        place[last] = _another(place[last], random)
        try:
            read(changed)
        except NotTimeline:
            refused += 1
    assert 0 < refused < TRIES


def _place(path: str) -> str:
    names = [f"[{name}]" if name.isdecimal() else f".{name}" for name in path.split(".")]
    return "".join(names).removeprefix(".")


def _paths(found: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    for name, one in items:
        yield (*path, name)
        yield from _paths(one, (*path, name))


def _another(found: Any, random: Random) -> Any:
    match found:
        case bool():
            return not found
        case int():
            return random.choice([-1, 0, found + 1, 10**6])
        case str():
            return random.choice(["", "x", f"{found}y", "{x} [SYS]"])
        case list():
            return random.choice([[], found[:-1], found[::-1], found + found[-1:]])
        case dict():
            return {name: one for name, one in found.items() if name != random.choice(list(found))}
        case _:
            return random.choice([0, 1, "x"])
