"""The proof: measured on real models, and false where something is wrong."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer
from transformers import LlamaConfig, LlamaForCausalLM

from radixviz.errors import ModelRefused
from radixviz.model.answer_check import check_answer
from radixviz.model.chat_template import ChatTemplate
from radixviz.model.first_token import FirstTokenBench, measure_first_tokens
from radixviz.model.kv_tensors import KVTensors, SlotChoice
from radixviz.model.loader import LoadedModel, load
from radixviz.model.prove import PROVE_STEPS, prove
from radixviz.proof import HITS, Proof, Split
from tests.model.paged_run import CLOSE
from tests.model.random_models import SIZES, random_tokens


@pytest.fixture(scope="module")
def loaded(model_folder: Path) -> LoadedModel:
    """Return the random Llama, which has 128 positions."""
    return load(str(model_folder))


@pytest.fixture(scope="module")
def fitting_folder(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a random Llama that has all tokens of its tokenizer."""
    folder = shutil.copytree(model_folder, tmp_path_factory.mktemp("fitting") / "llama")
    torch.manual_seed(0)
    LlamaForCausalLM(LlamaConfig(**{**SIZES, "vocab_size": 300})).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def fitting(fitting_folder: Path) -> LoadedModel:
    """Return it, loaded."""
    return load(str(fitting_folder))


def ticking() -> Callable[[], float]:
    """Return a clock that is a second further at each look."""
    return map(float, itertools.count()).__next__


def test_a_right_model_gives_the_same_answer(loaded: LoadedModel) -> None:
    """Cold, warm and recomputed agree; all but one token of the prompt were reused; wrong positions are far off."""
    answer = check_answer(loaded, random_tokens(30), 6)
    assert (answer.prompt_tokens, answer.cached_tokens, answer.answer_tokens) == (30, 29, 6)
    assert (answer.argmax_equal, answer.text_equal) == (True, True)
    assert answer.max_abs_logit_diff < CLOSE < 1 < answer.wrong_positions_diff
    assert answer.smallest_gap > 0


def test_a_pool_that_forgets_is_found_out(loaded: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each V beside the K of its neighbour: neither the logits nor the tokens agree."""
    read = KVTensors.read

    def shifted(self: KVTensors, layer: int, slots: SlotChoice) -> tuple[torch.Tensor, torch.Tensor]:
        keys, values = read(self, layer, slots)
        return keys.roll(1, dims=1), values

    monkeypatch.setattr(KVTensors, "read", shifted)
    answer = check_answer(loaded, random_tokens(30), 6)
    assert (answer.argmax_equal, answer.text_equal) == (False, False)
    assert answer.max_abs_logit_diff > 1


def test_too_few_positions_are_refused(loaded: LoadedModel) -> None:
    """Prompt and answer together need 130 of 128."""
    with pytest.raises(ModelRefused) as refused:
        check_answer(loaded, random_tokens(120), 10)
    assert (refused.value.reason, refused.value.detail) == ("positions", "128 < 130")


def test_a_folder_with_few_positions_is_refused(fitting_folder: Path, tmp_path: Path) -> None:
    """The model itself is fine, so that it loads; the prompt of the proof does not fit."""
    folder = shutil.copytree(fitting_folder, tmp_path / "short")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 50}), encoding="utf-8")
    with pytest.raises(ModelRefused, match="positions"):
        prove(load(str(folder)), ticking())


def test_a_tokenizer_that_knows_more_than_the_model_is_refused(loaded: LoadedModel) -> None:
    """An id that the model has no row for is named with the limit."""
    with pytest.raises(ModelRefused) as refused:
        prove(loaded, ticking())
    assert refused.value.reason == "vocabulary"
    assert refused.value.detail.endswith(" ≥ 256")


@pytest.mark.parametrize("scattered", [False, True])
def test_every_hit_rate_is_measured_with_so_much_in_the_tree(loaded: LoadedModel, scattered: bool) -> None:
    """The clock is looked at when the request comes and when its first token is there; reuse is what was asked for."""
    bench = FirstTokenBench(loaded, random_tokens(100), ticking(), scattered=scattered)
    engine = bench.engine(90, bench.runner)
    assert engine.page_map().count("cached") == 90
    (node,) = engine.tree().nodes
    assert (list(node.slots) == list(range(1, 91))) is not scattered
    rows = measure_first_tokens(bench, HITS, repeats=1)
    assert [(row.hit, row.cached_tokens) for row in rows] == [(0.0, 0), (0.5, 50), (0.9, 90), (0.99, 99)]
    assert [row.ms for row in rows] == [3000.0, 7000.0, 7000.0, 7000.0], "one look at each end, two or six inside"
    assert [row.ratio_to_full for row in rows] == [1.0, *[7 / 3] * 3]
    assert [row.kv_bytes_saved for row in rows] == [cached * 2 * 2 * 2 * 8 * 4 for cached in (0, 50, 90, 99)]
    assert [row.flops_saved > 0 for row in rows] == [False, True, True, True]
    assert [row.split.gather_ms for row in rows] == [0.0, 2000.0, 2000.0, 2000.0], "two layers are read"


def test_where_the_clock_waits_the_parts_have_runs_of_their_own(
    loaded: LoadedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a GPU each look waits for the device, and would slow down what it is in; so the whole has no look inside."""
    bench = FirstTokenBench(loaded, random_tokens(100), ticking())
    waited: list[torch.device] = []
    monkeypatch.setattr("radixviz.model.first_token.synchronize", waited.append)
    bench.watch.device = torch.device("cuda")
    rows = measure_first_tokens(bench, HITS, repeats=2)
    assert [row.ms for row in rows] == [3000.0] * 4
    assert [row.split for row in rows] == [Split(2000.0, 0.0, 1000.0), *[Split(2000.0, 2000.0, 3000.0)] * 3]
    assert waited == [torch.device("cuda")] * 2 * (4 * 4 + 4 + 3 * 8)


def test_the_logits_of_the_bench_are_right(loaded: LoadedModel) -> None:
    """What is measured is a real answer: K and V that stay in their slots are those of the prompt."""
    tokens = random_tokens(100)
    logits: list[torch.Tensor] = []
    bench = FirstTokenBench(loaded, tokens, ticking(), scattered=True)
    bench.runner._on_logits = lambda _, row: logits.append(row)
    for cached in (0, 50, 99):
        bench.seconds(cached)
    whole = loaded.model.recompute_logits(tokens)[-1]
    assert all(float((row - whole).abs().max()) < CLOSE for row in logits)


def keys(report: dict[str, object]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the keys of a report, and of its times."""
    times = report["ttft"]
    assert isinstance(times, list)
    return list(report), list(times[0])


def test_the_report_has_the_promised_fields(fitting: LoadedModel) -> None:
    """Names and order are those that are documented; a prompt is as long as the model's positions allow."""
    told: list[str] = []
    proof = prove(fitting, ticking(), progress=told.append, repeats=1)
    report = proof.report()
    assert keys(report) == (
        ["model", "device", "dtype", "threads", "max_abs_logit_diff", "argmax_equal", "text_equal",
         "wrong_positions_diff", "ttft"],
        ["hit", "ms", "ratio_to_full", "bound", "ratio_to_bound"],
    )  # fmt: skip
    assert json.dumps([row["hit"] for row in report["ttft"]]) == "[0, 0.5, 0.9, 0.99]"
    assert (tuple(told), proof.prompt_tokens, proof.is_exact, proof.same_answer) == (PROVE_STEPS, 127, True, True)
    assert proof.memory.pool_bytes == 129 * fitting.shape.elements_per_token * 4


def test_the_prompt_is_written_by_the_model_s_own_template(fitting: LoadedModel, fitting_folder: Path) -> None:
    """With a template it is the chat as the template writes it, without one it is plain text."""
    plain = prove(fitting, ticking(), repeats=1).answer.prompt_tokens
    tokenizer = fitting.tokenizer
    template = "{% for m in messages %}{{ m['content'] }}|{% endfor %}"
    chat = ChatTemplate("chat", template, Tokenizer.from_file(str(fitting_folder / "tokenizer.json")), {})
    proof = prove(replace(fitting, chat=chat), ticking(), repeats=1)
    said = "Hello!|Hi!|What can you do?|I can answer questions.|Write a story about a small fox.|"
    assert proof.answer.prompt_tokens == len(tokenizer.encode(said)) < plain


def test_a_proof_is_kept_as_plain_data(fitting: LoadedModel) -> None:
    """Written as JSON and read back it is the same; something else is no proof."""
    proof = prove(fitting, ticking(), repeats=1)
    assert Proof.of(json.loads(json.dumps(proof.facts()))) == proof
    with pytest.raises(KeyError):
        Proof.of({})
    with pytest.raises(TypeError):
        Proof.of(proof.facts() | {"colour": "green"})


def test_half_precision_claims_nothing(fitting_folder: Path) -> None:
    """What bfloat16 gives is far from a wrong answer, but it is not called identical."""
    proof = prove(load(str(fitting_folder), dtype="bfloat16"), ticking(), repeats=1)
    assert not proof.is_exact
    assert proof.answer.max_abs_logit_diff < 1 < proof.answer.wrong_positions_diff


@pytest.mark.skipif(
    not torch.cuda.is_available(), reason="needs a CUDA device: `python -m radixviz prove --device cuda`"
)
def test_a_gpu_gives_the_same_answer() -> None:
    """The same proof on CUDA: pool, ids and masks are on the device, and the clock waits for it."""
    loaded = load("tiny", device="cuda")
    proof = prove(loaded, ticking(), repeats=1)
    assert (proof.device, proof.same_answer) == ("cuda:0", True)
    assert proof.memory.after - proof.memory.before >= proof.memory.pool_bytes


@pytest.mark.skipif(
    not torch.backends.mps.is_available(), reason="needs Apple's MPS: `python -m radixviz prove --device mps`"
)
def test_apple_s_gpu_gives_the_same_answer() -> None:
    """The same proof on MPS."""
    assert prove(load("tiny", device="mps"), ticking(), repeats=1).same_answer
