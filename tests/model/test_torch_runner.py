"""A real model over pages against the same model without them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

import pytest
import torch

from radixviz.engine.request import Draw
from radixviz.engine.runner import DecodeRow, ExtendRow
from radixviz.errors import ModelRefused
from radixviz.model.causal_lm import CausalLM
from radixviz.model.sampling import sample
from tests.model.conftest import MakeRunner
from tests.model.paged_run import CLOSE, GREEDY, Recorded, difference, run_greedy
from tests.model.random_models import FAMILIES, ShiftedPositions, generate, random_tokens, scattered_slots


@pytest.mark.parametrize("page_size", [1, 4, 16])
@pytest.mark.parametrize("family", FAMILIES)
def test_logits_with_reuse_are_those_without(
    family: str, page_size: int, model_of: Callable[[str], CausalLM], make_runner: MakeRunner
) -> None:
    """A suffix over a prefix that another request left in scattered pages gets the logits of a plain forward."""
    model, logits = model_of(family), Recorded()
    runner = make_runner(model, page_size, on_logits=logits)
    shared, slots = random_tokens(48), scattered_slots(runner.tensors)
    runner.extend([ExtendRow("first", shared, 0, tuple(slots[:48]), GREEDY)])
    for name, suffix, own in (
        ("second", random_tokens(20, 1), slots[48:68]),
        ("third", random_tokens(5, 2), slots[80:]),
    ):
        row = ExtendRow(name, suffix, 48, (*slots[:48], *own[: len(suffix)]), GREEDY)
        chosen = runner.extend([row])[0][0].token_id
        whole = model.recompute_logits(shared + suffix)[-1]
        assert difference(logits[name], whole) < CLOSE
        assert chosen == int(whole.argmax())
    assert not runner.tensors.data[:, :, 0].any(), "the padding page stays as it was"


@pytest.mark.parametrize("page_size", [1, 4, 16])
@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_tokens_are_those_of_generate(
    family: str, page_size: int, model_of: Callable[[str], CausalLM], make_runner: MakeRunner
) -> None:
    """Prefill in two parts and decode token by token: the same reply as from transformers' own loop."""
    model = model_of(family)
    runner, prompt = make_runner(model, page_size), random_tokens(23, 3)
    slots = scattered_slots(runner.tensors)
    runner.extend([ExtendRow("r", prompt[:16], 0, tuple(slots[:16]), ())])
    assert run_greedy(runner, prompt, 16, slots, 12) == list(generate(model, prompt, 12))


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_of_one_batch_do_not_see_one_another(
    family: str, model_of: Callable[[str], CausalLM], make_runner: MakeRunner
) -> None:
    """Decoding lengths 3, 30 and 9 together gives each the logits and the tokens that it gets alone."""
    model, logits = model_of(family), Recorded()
    runner = make_runner(model, 4, on_logits=logits)
    slots, lengths = scattered_slots(runner.tensors), {"a": 3, "b": 30, "c": 9}
    owned = {"a": slots[:8], "b": slots[8:48], "c": slots[48:64]}
    tokens = {name: list(random_tokens(length, length)) for name, length in lengths.items()}
    rows = [
        ExtendRow(name, tuple(tokens[name]), 0, tuple(owned[name][:length]), GREEDY) for name, length in lengths.items()
    ]
    for name, (first,) in zip(lengths, runner.extend(rows), strict=True):
        tokens[name].append(first.token_id)
    for _ in range(5):
        batch = [DecodeRow(name, tokens[name][-1], tuple(owned[name][: len(tokens[name])]), Draw()) for name in lengths]
        for name, chosen in zip(lengths, runner.decode(batch), strict=True):
            assert difference(logits[name], model.recompute_logits(tokens[name])[-1]) < CLOSE
            tokens[name].append(chosen.token_id)
    for name, length in lengths.items():
        assert tokens[name][length:] == list(generate(model, tokens[name][:length], 6))
    assert not runner.tensors.data[:, :, 0].any(), "the padding page stays as it was"


def test_unequal_prompts_of_one_extend_keep_their_own_positions(llama: CausalLM, make_runner: MakeRunner) -> None:
    """Rows with other prefixes and other lengths in one call are each as if alone."""
    logits = Recorded()
    runner = make_runner(llama, 4, on_logits=logits)
    slots, long, short = scattered_slots(runner.tensors), random_tokens(40, 4), random_tokens(7, 5)
    runner.extend([ExtendRow("prefix", long[:24], 0, tuple(slots[:24]), ())])
    result = runner.extend(
        [
            ExtendRow("long", long[24:], 24, tuple(slots[:40]), GREEDY),
            ExtendRow("short", short, 0, tuple(slots[40:47]), GREEDY),
        ]
    )
    assert list(logits) == ["prefix", "long", "short"]
    for name, tokens, (chosen,) in zip(("long", "short"), (long, short), result, strict=True):
        whole = llama.recompute_logits(tokens)[-1]
        assert difference(logits[name], whole) < CLOSE
        assert chosen.token_id == int(whole.argmax())


def test_a_prefix_at_wrong_positions_gives_other_logits(llama: CausalLM, make_runner: MakeRunner) -> None:
    """K and V computed three positions further on are not those of the prefix: this suite would see it."""
    logits = Recorded()
    runner = make_runner(llama, 1, on_logits=logits)
    slots, tokens = scattered_slots(runner.tensors), random_tokens(20, 6)
    runner.extend([ExtendRow("moved", (1, 2, 3, *tokens[:12]), 0, tuple(slots[:15]), ())])
    runner.extend([ExtendRow("r", tokens[12:], 12, (*slots[3:15], *slots[20:28]), GREEDY)])
    assert difference(logits["r"], llama.recompute_logits(tokens)[-1]) > 1


def test_a_suffix_at_wrong_positions_gives_other_logits(llama: CausalLM, make_runner: MakeRunner) -> None:
    """One position too high after a prefix is far outside the tolerance."""
    logits = Recorded()
    runner = make_runner(ShiftedPositions(llama.module, "shifted"), 1, on_logits=logits)
    slots, tokens = scattered_slots(runner.tensors), random_tokens(20, 6)
    runner.extend([ExtendRow("prefix", tokens[:12], 0, tuple(slots[:12]), ())])
    runner.extend([ExtendRow("r", tokens[12:], 12, tuple(slots[:20]), GREEDY)])
    assert difference(logits["prefix"], llama.recompute_logits(tokens[:12])[-1]) < CLOSE
    assert difference(logits["r"], llama.recompute_logits(tokens)[-1]) > 1


def test_samples_share_one_prefill(llama: CausalLM, make_runner: MakeRunner) -> None:
    """Four draws on one prompt are four draws from the same logits, told once."""
    told: list[tuple[str, torch.Tensor]] = []
    runner = make_runner(llama, 1, on_logits=lambda *fact: told.append(fact))
    prompt, draws = random_tokens(10, 7), tuple(Draw(1.5, (i + 0.5) / 4) for i in range(4))
    result = runner.extend([ExtendRow("r#1", prompt, 0, tuple(range(1, 11)), draws)])
    ((sequence_id, logits),) = told
    assert sequence_id == "r#1"
    assert result == [tuple(sample(logits, draw) for draw in draws)]
    assert len({sampled.token_id for sampled in result[0]}) == 4


def test_copied_slots_serve_as_the_first_ones_do(llama: CausalLM, make_runner: MakeRunner) -> None:
    """After a copy, a sample decodes on its own page with the logits of a plain forward."""
    logits = Recorded()
    runner = make_runner(llama, 4, on_logits=logits)
    prompt = random_tokens(10, 8)
    runner.extend([ExtendRow("r#1", prompt, 0, tuple(range(4, 14)), GREEDY)])
    runner.copy_slots([12, 13], [20, 21])
    batch = [DecodeRow("r#1", 5, tuple(range(4, 15)), Draw()), DecodeRow("r#2", 9, (*range(4, 12), 20, 21, 22), Draw())]
    runner.decode(batch)
    assert difference(logits["r#1"], llama.recompute_logits((*prompt, 5))[-1]) < CLOSE
    assert difference(logits["r#2"], llama.recompute_logits((*prompt, 9))[-1]) < CLOSE


def test_nothing_to_decode_is_nothing(llama: CausalLM, make_runner: MakeRunner) -> None:
    """An empty batch runs no forward."""
    told: list[str] = []
    runner = make_runner(llama, 1, on_logits=lambda name, _: told.append(name))
    assert (runner.decode([]), runner.extend([]), told) == ([], [], [])


def test_max_positions_is_the_models_unless_less_is_asked_for(llama: CausalLM, make_runner: MakeRunner) -> None:
    """The engine may not go further than the model was made for."""
    assert make_runner(llama).max_positions == 128
    assert make_runner(llama, max_positions=12).max_positions == 12


def test_runners_of_several_threads_share_a_model_but_no_pool(llama: CausalLM, make_runner: MakeRunner) -> None:
    """Four threads, each with its own pool, get bit for bit what they get one after the other."""
    prompts = [random_tokens(15, seed) for seed in range(4)]

    def reply(index: int, replies: dict[int, list[int]]) -> None:
        runner = make_runner(llama, 4)
        replies[index] = run_greedy(runner, prompts[index], 0, scattered_slots(runner.tensors, index), 10)

    serial: dict[int, list[int]] = {}
    together: dict[int, list[int]] = {}
    threads = [Thread(target=reply, args=(index, together)) for index in range(4)]
    for index in range(4):
        reply(index, serial)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == serial


def test_a_token_that_the_model_does_not_have_is_refused(llama: CausalLM, make_runner: MakeRunner) -> None:
    """One of a tokenizer with more control tokens than its model: a clear refusal, before anything is written."""
    runner = make_runner(llama, 1)
    with pytest.raises(ModelRefused) as refused:
        runner.extend([ExtendRow("r", (1, llama.vocabulary_size), 0, (1, 2), GREEDY)])
    assert (refused.value.reason, refused.value.detail) == ("vocabulary", "256 ≥ 256")
    assert not runner.tensors.data.any()
