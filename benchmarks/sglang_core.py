"""SGLang's tree with its Rust core, the runtime default, as the life cycle drives it.

Needs an unpacked SGLang wheel and a Python that has torch and what SGLang's mem_cache imports. What only an accelerator
needs is replaced by empty stand-ins: nothing of it is on the way of a match, an insertion or an eviction.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
import types
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

ABSENT = (
    "sgl_kernel",
    "torchvision",
    "aiter",
    "sglang.kernels",
    *(
        f"sglang.srt.{name}"
        for name in ("configs", "layers", "distributed", "server_args", "hardware_backend", "managers", "session")
    ),
    *(
        f"sglang.srt.mem_cache.{name}"
        for name in (
            "memory_pool",
            "memory_pool_host",
            "page_interleave_pool",
            "hicache_storage",
            "hybrid_cache",
            "pool_host",
            "buffer_mode",
            "unified_memory_pool",
            "l2_transfer",
        )
    ),
)


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives an empty module for whatever is absent."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Answer for the absent packages and all below them."""
        if any(name == absent or name.startswith(f"{absent}.") for absent in ABSENT):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Make a module in which every name can be found."""
        module = types.ModuleType(spec.name)
        module.__path__ = []
        module.__dict__["__getattr__"] = _any_name
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Run nothing."""


def _any_name(name: str) -> MagicMock:
    if name.startswith("__"):
        raise AttributeError(name)
    return MagicMock(name=name)


def open_sglang(folder: Path) -> None:
    """Make `sglang` importable from this folder without running its own start-up."""
    package = types.ModuleType("sglang")
    package.__path__ = [str(folder / "sglang")]
    package.__spec__ = importlib.machinery.ModuleSpec("sglang", None, is_package=True)
    package.__spec__.submodule_search_locations = package.__path__
    package.__dict__["__version__"] = "unpacked"
    sys.modules["sglang"] = package
    sys.path.insert(0, str(folder))
    sys.meta_path.insert(0, StandIns())
    os.environ["SGLANG_RUST_BUILD_MODE"] = "never"
    os.environ["SGLANG_UNIFIED_RADIX_TREE_CORE_BACKEND"] = "rust"


class Pages:
    """SGLang's allocator as a list of free pages; what the cache frees is taken in later, when no time is measured."""

    def __init__(self, page_size: int, capacity: int) -> None:
        torch = importlib.import_module("torch")
        self.device = "cpu"
        self.page_size = page_size
        self._torch = torch
        self._free = list(range(capacity // page_size, 0, -1))
        self._offsets = torch.arange(page_size)
        self._freed: list[Any] = []

    def available_size(self) -> int:
        """Return the free tokens."""
        return len(self._free) * self.page_size

    def alloc(self, tokens: int) -> Any:
        """Return new slots."""
        count = tokens // self.page_size
        if count == 0:
            return self._torch.empty(0, dtype=self._torch.int64)
        pages = self._torch.tensor(self._free[-count:], dtype=self._torch.int64)
        del self._free[-count:]
        return (pages[:, None] * self.page_size + self._offsets).reshape(-1)

    def free(self, slots: Any) -> None:
        """Keep these slots for `take_in`."""
        self._freed.append(slots)

    free_full = free

    def free_segment(self, slots: Any, *, start_pos: int) -> None:
        """Keep these slots for `take_in`."""
        self._freed.append(slots)

    def free_page_ids(self, pages: Any) -> None:
        """Take these pages in."""
        self._free.extend(pages.tolist())

    def take_in(self) -> None:
        """Make everything kept free."""
        for slots in self._freed:
            self._free.extend((slots[:: self.page_size] // self.page_size).tolist())
        self._freed.clear()

    def free_group_begin(self) -> None:
        """Frees come one by one here."""

    def free_group_end(self) -> None:
        """Frees come one by one here."""

    def get_kvcache(self) -> None:
        """There are no tensors of K and V."""


class SGLangCore:
    """UnifiedRadixCache of SGLang 0.5.23 with full attention only and its Rust core."""

    def __init__(self, page_size: int, capacity: int) -> None:
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
        calls = _mem_cache("base_prefix_cache")
        unified = _mem_cache("unified_radix_cache")
        self.page_size = page_size
        self._torch, self._calls, self._make_key = torch, calls, _mem_cache("radix_cache").RadixKey
        self._pages = Pages(page_size, capacity)
        _no_server(unified)
        self.cache = unified.UnifiedRadixCache(
            _mem_cache("cache_init_params").CacheInitParams(
                disable=False,
                req_to_token_pool=None,
                token_to_kv_pool_allocator=self._pages,
                page_size=page_size,
                tree_components=(_mem_cache("unified_cache.components").ComponentType.FULL,),
                tree_core_backend="rust",
            )
        )

    def key(self, tokens: array[int]) -> Any:
        """Return the tokens as a key."""
        return self._make_key(tokens)

    def match(self, key: Any) -> tuple[int, Any, Any]:
        """Look up, and fetch the slots."""
        found = self.cache.match_prefix(self._calls.MatchPrefixParams(key=key))
        node = found.last_device_node
        return found.device_prefix_len, self.cache.path_device_indices(node), node

    def lock(self, found: Any) -> Any:
        """Hold."""
        return self.cache.lock(found)

    def evict(self, tokens: int) -> None:
        """Evict."""
        self.cache.evict(self._calls.EvictParams(num_tokens=tokens))

    def insert(self, key: Any, slots: Any, hit: int) -> int:
        """Insert."""
        return int(self.cache.insert(self._calls.InsertParams(key=key, value=slots, prev_prefix_len=hit)).prefix_len)

    def unlock(self, lock: Any) -> None:
        """Let go."""
        self.cache.unlock(lock)

    def room(self) -> int:
        """Return the free tokens."""
        return self._pages.available_size()

    def allocate(self, tokens: int, found: Any) -> Any:
        """Return the found slots with new ones behind them."""
        return self._torch.cat([found, self._pages.alloc(tokens)])

    def cut(self, slots: Any, end: int) -> Any:
        """Return the first slots."""
        return slots[:end].to(self._torch.int64)

    def give_back(self, freed: None) -> None:
        """Take in what the cache has freed itself."""
        self._pages.take_in()

    def settle(self, slots: Any, hit: int, there: int, end: int) -> None:
        """Free the tail; the cache has freed the duplicates."""
        if len(slots) > end:
            self._pages.free(slots[end:])
        self._pages.take_in()


def deep_match(tokens: int, nodes: int) -> Callable[[], int]:
    """Return a look-up of `tokens` tokens along `nodes` nodes of SGLang's Python tree."""
    cache = _mem_cache("radix_cache").RadixCache.create_simulated()
    calls, make_key = _mem_cache("base_prefix_cache"), _mem_cache("radix_cache").RadixKey
    ids = array("q", range(tokens))
    cache.insert(calls.InsertParams(key=make_key(ids)))
    for length in range(tokens - tokens // nodes, 0, -(tokens // nodes)):  # longest first: cut at the top
        cache.match_prefix(calls.MatchPrefixParams(key=make_key(ids[:length])))
    params = calls.MatchPrefixParams(key=make_key(ids))

    def match() -> int:
        found = cache.match_prefix(params)
        return len(cache.path_device_indices(found.last_device_node))

    return match


def _mem_cache(name: str) -> Any:
    return importlib.import_module(f"sglang.srt.mem_cache.{name}")


def _no_server(module: Any) -> None:
    """Leave out what a server sets up: sessions, metrics, several ranks."""
    context = MagicMock()
    context.disaggregation_mode = "null"
    for name in ("get_disagg", "get_memory", "get_model", "get_observability"):
        setattr(module, name, lambda: context)
    module.StreamingSession = NoSession
    module.is_virtual_node = lambda node: False
    module.page_interleave_shard_size = lambda pages: 1


class NoSession:
    """A session that never has anything."""

    def __init__(self, cache: object) -> None:
        self.slots: dict[str, object] = {}

    def try_match_prefix(self, params: object) -> None:
        """Find nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None
