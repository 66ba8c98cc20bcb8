"""The examples in the docstrings of the cache."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import radixviz.cache

MODULES = [module.name for module in pkgutil.iter_modules(radixviz.cache.__path__, "radixviz.cache.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    """Every example in the docstrings of the module gives what it says."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("name", ["radixviz.cache.key", "radixviz.cache.radix_cache"])
def test_there_are_examples(name: str) -> None:
    """The two classes that a reader meets first show how they are used."""
    assert doctest.testmod(importlib.import_module(name)).attempted >= 2
