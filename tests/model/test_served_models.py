from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from radixviz.cache.page_pool import PagePool
from radixviz.cache.radix_cache import RadixCache
from radixviz.engine.engine import Engine
from radixviz.engine.request import Request
from radixviz.errors import ModelRefused
from radixviz.model.adapter import CAPTAIN
from radixviz.model.folder import TINY
from radixviz.model.kv_shape import KVShape
from radixviz.model.loader import LoadedModel, build_runner, load
from radixviz.model.served_models import ServedModel, build_shared_runner

PAGES = 400
Asked = tuple[ServedModel, str | None]
"""A model, and a tenant's salt."""


@pytest.fixture
def served(tiny: LoadedModel, captain: LoadedModel) -> tuple[ServedModel, ServedModel]:
    """Return the base and the adapter."""
    return ServedModel(tiny), ServedModel(captain, CAPTAIN)


def engine_of(asked: Mapping[str, Asked]) -> Engine:
    """Return an engine with one tree and one pool, over all models that are asked."""
    runner = build_shared_runner([model for model, _ in asked.values()], PAGES, 1, lambda name: asked[name][0])
    return Engine(RadixCache(), PagePool(PAGES), runner)


def submit(engine: Engine, asked: Mapping[str, Asked], name: str, tokens: int = 8) -> None:
    """Ask the one question, in the namespace of this request's model and tenant."""
    model, salt = asked[name]
    prompt = model.loaded.tokenizer.encode("You are a helpful assistant.\nUser: Who are you?\nAssistant:")
    engine.submit(Request(name, prompt, tokens, namespace=model.namespace(salt)))


def cached_tokens(asked: Mapping[str, Asked]) -> list[int]:
    """Return what each request reuses, when one comes after the other."""
    engine = engine_of(asked)
    for name in asked:
        submit(engine, asked, name)
        engine.run()
        engine.check_integrity()
    return [engine.sequences[name].cached_tokens for name in asked]


def test_an_adapter_never_reads_what_the_base_has_stored(served: tuple[ServedModel, ServedModel]) -> None:
    """One prompt over one tree and one pool: each model reuses its own K and V, and none of the other's."""
    base, captain = served
    asked = {"a": (base, None), "b": (captain, None), "c": (base, None), "d": (captain, None)}
    assert cached_tokens(asked) == [0, 0, 15, 15]


def test_a_salt_separates_tenants(served: tuple[ServedModel, ServedModel]) -> None:
    """Tenants with other salts reuse nothing of one another, whatever the model; an empty salt is none."""
    base, captain = served
    asked = {
        "a": (base, "x"),
        "b": (base, "y"),
        "c": (captain, "x"),
        "d": (base, None),
        "e": (base, ""),
        "f": (base, "y"),
    }
    assert cached_tokens(asked) == [0, 0, 0, 0, 15, 15]


def test_models_decode_together_and_answer_as_alone(served: tuple[ServedModel, ServedModel]) -> None:
    """Requests of two models in one batch get the tokens that each model writes by itself."""
    base, captain = served
    asked: dict[str, Asked] = {"a": (base, None), "b": (captain, None), "c": (base, "x")}
    engine = engine_of(asked)
    for name in asked:
        submit(engine, asked, name, tokens=12)
    engine.run()
    alone = {}
    for name, (model, _) in asked.items():
        own = Engine(RadixCache(), PagePool(PAGES), build_runner(model.loaded, PAGES, 1))
        submit(own, asked, name, tokens=12)
        own.run()
        alone[name] = own.sequences[name].output_ids
    assert {name: engine.sequences[name].output_ids for name in asked} == alone
    assert alone["a"] != alone["b"]


def test_another_number_format_has_its_own_pool_and_namespace(tiny: LoadedModel) -> None:
    """K and V of bfloat16 are neither in the float32 pool nor found under its names."""
    half = load(TINY, dtype="bfloat16")
    first, second = ServedModel(tiny), ServedModel(half)
    assert (first.namespace(), second.namespace()) == (
        ("tiny (float32)", None, None, None),
        ("tiny (bfloat16)", None, None, None),
    )
    assert build_runner(half, 4, 1).tensors.data.dtype == torch.bfloat16
    with pytest.raises(ModelRefused) as refused:
        build_shared_runner([first, second], 4, 1, lambda name: first)
    assert (refused.value.model, refused.value.reason) == ("tiny", "other_pool")


def test_another_kv_shape_has_its_own_pool(tiny: LoadedModel, model_folder: Path) -> None:
    """A model with other layers or heads cannot be served from the same pool; the refusal says both shapes."""
    other = load(str(model_folder))
    first, second = ServedModel(tiny), ServedModel(other)
    assert other.shape == KVShape(layers=2, kv_heads=2, head_dim=8)
    assert first.pool_kind != second.pool_kind
    assert first.pool_kind == ServedModel(replace(tiny, name="twin")).pool_kind
    with pytest.raises(ModelRefused, match=r"head_dim=8.*head_dim=48"):
        build_shared_runner([first, second], 4, 1, lambda name: first)
