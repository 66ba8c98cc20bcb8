"""From a name to a model that is ready to run."""

from __future__ import annotations

import gc
import json
import shutil
import socket
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, models

from radixviz.errors import BadPageSize, BadPoolPages, ModelRefused, UnknownDevice, UnknownDtype, UnknownModel
from radixviz.model.causal_lm import CausalLM
from radixviz.model.loader import STEPS, LoadedModel, build_runner, load
from tests.model.random_models import KV_SHAPE


@pytest.fixture(scope="module")
def loaded(model_folder: Path) -> LoadedModel:
    """Return the random Llama, loaded from its folder."""
    return load(str(model_folder))


@pytest.fixture
def folder(model_folder: Path, tmp_path: Path) -> Path:
    """Return a copy of the folder, to be spoilt."""
    return shutil.copytree(model_folder, tmp_path / "copy")


def refusal(folder: Path) -> tuple[str, str]:
    """Return the reason and the detail with which this folder is refused."""
    with pytest.raises(ModelRefused) as refused:
        load(str(folder))
    assert refused.value.model == str(folder)
    return refused.value.reason, refused.value.detail


def change(file: Path, **fields: object) -> None:
    """Set fields of a JSON file."""
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | fields), encoding="utf-8")


def test_a_folder_is_loaded_checked_and_described(loaded: LoadedModel, llama: CausalLM, model_folder: Path) -> None:
    """The weights, the tokenizer and every fact about them are there."""
    assert (loaded.name, loaded.device, loaded.dtype) == (str(model_folder), "cpu", "float32")
    assert (loaded.shape, loaded.max_positions) == (KV_SHAPE, 128)
    assert loaded.report.max_abs_diff < 1e-4
    assert loaded.report.past_window
    assert loaded.tokenizer.stop_token_ids == (0, 5)
    assert loaded.lock is loaded.model.lock
    assert torch.equal(loaded.model.recompute_logits((1, 2, 3)), llama.recompute_logits((1, 2, 3)))


def test_progress_is_told_each_step_and_nothing_is_asked_of_the_net(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A local folder is enough; the collector is back at work afterwards."""

    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    told: list[str] = []
    load(str(model_folder), progress=told.append)
    assert tuple(told) == STEPS
    assert gc.isenabled()


def test_a_dtype_is_that_of_weights_and_pool(model_folder: Path) -> None:
    """bfloat16 halves the pool."""
    loaded = load(str(model_folder), dtype="bfloat16")
    tensors = build_runner(loaded, 3, 4).tensors
    assert (loaded.dtype, tensors.data.dtype, tensors.kv_bytes_per_token) == (
        "bfloat16",
        torch.bfloat16,
        2 * 2 * 2 * 8 * 2,
    )


def test_threads_are_set_when_asked_for(model_folder: Path) -> None:
    """The number of threads is left alone otherwise."""
    try:
        load(str(model_folder), threads=2)
        assert torch.get_num_threads() == 2
        load(str(model_folder))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(1)


def test_nothing_is_written_to_the_terminal(model_folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither bars nor reports: the command line keeps stdout for its JSON."""
    load(str(model_folder))
    assert capfd.readouterr() == ("", "")


def test_each_runner_has_a_pool_of_its_own_and_shares_the_model(loaded: LoadedModel) -> None:
    """Pools do not alias; the page size and the pages are those asked for."""
    one, two = build_runner(loaded, 5, 4), build_runner(loaded, 7, 2)
    assert one.model is two.model is loaded.model
    assert one.tensors.data.shape == (2, 2, 6, 4, 2, 8)
    assert two.tensors.data.shape == (2, 2, 8, 2, 2, 8)
    assert one.max_positions == 128


def test_a_window_that_was_not_passed_is_the_limit(folder: Path) -> None:
    """Where the check stays inside a long sliding window, so do the sequences."""
    change(folder / "config.json", architectures=["MistralForCausalLM"], model_type="mistral", sliding_window=1500)
    change(folder / "config.json", max_position_embeddings=4000)
    windowed = load(str(folder))
    assert (windowed.report.past_window, windowed.max_positions) == (False, 1500)
    assert build_runner(windowed, 2, 2).max_positions == 1500


def test_a_pool_beyond_the_memory_is_refused(loaded: LoadedModel) -> None:
    """The error says how many bytes it would take and how many are free; the model goes on working."""
    with pytest.raises(ModelRefused) as refused:
        build_runner(loaded, 10**12, 16)
    assert (refused.value.model, refused.value.reason) == (loaded.name, "out_of_memory")
    assert refused.value.detail.startswith(f"{(10**12 + 1) * 16 * KV_SHAPE.elements_per_token * 4:,} B")
    assert build_runner(loaded, 2, 16).tensors.num_pages == 2


@pytest.mark.parametrize(("pages", "page_size", "fault"), [(0, 4, BadPoolPages), (4, 0, BadPageSize)])
def test_a_pool_needs_pages_and_slots(pages: int, page_size: int, fault: type[Exception], loaded: LoadedModel) -> None:
    """Sizes below 1 are named."""
    with pytest.raises(fault):
        build_runner(loaded, pages, page_size)


@pytest.mark.parametrize("name", ["no-such-model", "", "someone/some-model", "/", "long" * 999, "no\0name"])
def test_an_unknown_name_is_answered_with_the_known_ones(name: str) -> None:
    """Neither a shipped model nor a folder with a config.json."""
    with pytest.raises(UnknownModel) as unknown:
        load(name)
    assert (unknown.value.name, unknown.value.known) == (name, ("tiny", "smollm2"))


@pytest.mark.parametrize("device", ["gpu", "cuda:99", "meta", ""])
def test_an_unknown_device_is_answered_with_the_known_ones(device: str, model_folder: Path) -> None:
    """Only devices that this machine has."""
    with pytest.raises(UnknownDevice) as unknown:
        load(str(model_folder), device=device)
    assert unknown.value.name == device
    assert (unknown.value.known[0], unknown.value.known[-1]) == ("auto", "cpu")


def test_an_unknown_dtype_is_refused(model_folder: Path) -> None:
    """Attributes of torch that are no dtype of weights are not dtypes."""
    with pytest.raises(UnknownDtype) as unknown:
        load(str(model_folder), dtype="int8")
    assert unknown.value.facts() == {"name": "int8", "known": ("float32", "float16", "bfloat16")}


def without_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()


def without_unknown_words(folder: Path) -> None:
    Tokenizer(models.WordLevel({"Hello": 0})).save(str(folder / "tokenizer.json"))


def without_tokens(folder: Path) -> None:
    Tokenizer(models.BPE()).save(str(folder / "tokenizer.json"))


def with_a_word_as_stop_token(folder: Path) -> None:
    change(folder / "generation_config.json", eos_token_id="</s>")


def with_pickle(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def without_weights(folder: Path) -> None:
    (folder / "model.safetensors").unlink()


def without_head(folder: Path) -> None:
    change(folder / "config.json", architectures=["LlamaModel"])


def of_another_shape(folder: Path) -> None:
    change(folder / "config.json", architectures=7, model_type=None)


def of_another_kind(folder: Path) -> None:
    change(folder / "config.json", architectures=None, model_type="vit")


def of_unknown_code(folder: Path) -> None:
    change(folder / "config.json", model_type="mine", auto_map={"AutoConfig": "code.py--Config"})


def with_broken_config(folder: Path) -> None:
    (folder / "config.json").write_text("{", encoding="utf-8")


def with_a_list_as_config(folder: Path) -> None:
    (folder / "config.json").write_text("[]", encoding="utf-8")


def with_a_nonsense_field(folder: Path) -> None:
    change(folder / "config.json", hidden_size="wide")


def with_broken_weights(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"not weights")


def with_other_sizes(folder: Path) -> None:
    change(folder / "config.json", intermediate_size=48)


def without_one_weight(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    del weights["model.norm.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("spoil", "reason", "detail"),
    [
        (without_tokenizer, "no_tokenizer", "tokenizer.json"),
        (without_unknown_words, "no_tokens", "Missing [UNK] token"),
        (without_tokens, "no_tokens", "What can you do?"),
        (with_a_word_as_stop_token, "bad_config", "eos_token_id: </s>"),
        (with_pickle, "pickle", "pytorch_model.bin"),
        (without_weights, "no_weights", "copy"),
        (without_head, "no_causal_head", "LlamaModel"),
        (of_another_shape, "unknown_architecture", "None"),
        (of_another_kind, "no_causal_head", "ViTConfig"),
        (of_unknown_code, "unknown_architecture", "mine"),
        (with_broken_config, "bad_config", "config.json: Expecting"),
        (with_a_list_as_config, "bad_config", "config.json: list"),
        (with_a_nonsense_field, "bad_config", "hidden_size"),
        (with_broken_weights, "bad_weights", "header"),
        (with_other_sizes, "bad_weights", "mlp.down_proj.weight: [32, 64], not [32, 48]"),
        (without_one_weight, "missing_weights", "model.norm.weight"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_unusable_files_are_refused_with_a_reason(spoil, reason: str, detail: str, folder: Path) -> None:  # type: ignore[no-untyped-def]
    """Each fault has its own reason, and the detail names the culprit."""
    spoil(folder)
    found = refusal(folder)
    assert found[0] == reason
    assert detail in found[1]


def test_a_model_that_fails_the_self_check_is_not_loaded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate is passed by every load."""
    monkeypatch.setattr("radixviz.model.selfcheck.TOLERANCE_OTHERWISE", -1.0)
    assert refusal(folder)[0] == "selfcheck"
