"""What the tests of models share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from radixviz.model.adapter import shipped_adapter, with_adapter
from radixviz.model.causal_lm import CausalLM
from radixviz.model.folder import TINY
from radixviz.model.kv_shape import probe_kv_shape
from radixviz.model.kv_tensors import KVTensors
from radixviz.model.loader import LoadedModel, load
from radixviz.model.torch_runner import TorchRunner
from tests.model.chat_templates import CONTROL
from tests.model.random_models import build

STOP = "<|endoftext|>"
MakeRunner = Callable[..., TorchRunner]


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> Iterator[None]:
    """Let torch use one thread: the models are tiny, and the cores may be busy."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def model_of() -> Callable[[str], CausalLM]:
    """Return the random model of a family, always the same one."""
    return cache(build)


@pytest.fixture(scope="session")
def llama(model_of: Callable[[str], CausalLM]) -> CausalLM:
    """Return the random Llama."""
    return model_of("llama")


@pytest.fixture(scope="session")
def make_runner() -> MakeRunner:
    """Return a function that gives a model a pool of its own: 128 slots unless told otherwise."""

    def make(model: CausalLM, page_size: int = 1, pages: int | None = None, **options: object) -> TorchRunner:
        tensors = KVTensors(probe_kv_shape(model), pages or 128 // page_size, page_size, dtype=model.dtype)
        return TorchRunner(model, tensors, **options)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def byte_level() -> Tokenizer:
    """Return a byte-level BPE that knows a few English words and one special token, id 0."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=300, special_tokens=[STOP], initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(["You are a helpful assistant. Hello, what can you do?"] * 9, trainer)
    return tokenizer


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory, llama: CausalLM, byte_level: Tokenizer) -> Path:
    """Return a folder with the random Llama and a tokenizer, as a user might have one."""
    folder = tmp_path_factory.mktemp("llama")
    llama.module.save_pretrained(folder)
    byte_level.save(str(folder / "tokenizer.json"))
    (folder / "generation_config.json").write_text('{"eos_token_id": [0, 5]}', encoding="utf-8")
    return folder


@pytest.fixture
def chat_folder(tmp_path: Path, byte_level: Tokenizer) -> Path:
    """Return a folder with a tokenizer that has ChatML's control tokens and adds a first token by itself."""
    tokenizer = Tokenizer.from_str(byte_level.to_str())
    tokenizer.add_special_tokens(list(CONTROL))
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    settings = {"bos_token": {"content": "<s>"}, "add_bos_token": True}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="session")
def tiny() -> LoadedModel:
    """Return the shipped model."""
    return load(TINY)


@pytest.fixture(scope="session")
def captain(tiny: LoadedModel) -> LoadedModel:
    """Return the shipped model with its adapter."""
    return with_adapter(tiny, shipped_adapter())
