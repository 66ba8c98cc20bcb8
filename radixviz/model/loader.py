"""From a name to a model that is ready to run. Importing this is cheap: torch and transformers come with `load`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

from radixviz.errors import ModelRefused, UnknownDtype, UnknownModel
from radixviz.model.chat_template import ChatTemplate
from radixviz.model.chat_tokenizer import read_tokenizer
from radixviz.model.folder import TINY, ModelFolder, locate
from radixviz.model.hub import download, is_hub_id
from radixviz.model.tokenizer import TextTokenizer

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

    from radixviz.model.causal_lm import CausalLM
    from radixviz.model.kv_shape import KVShape
    from radixviz.model.kv_tensors import KVTensors
    from radixviz.model.selfcheck import SelfCheckReport
    from radixviz.model.torch_runner import OnLogits, TorchRunner

STEPS = ("torch", "transformers", "weights", "selfcheck")
"""What `progress` is told, in this order, as each begins."""
HUB = "hub"
"""What it is told before them, when a model of the hub is asked for."""

DTYPES = ("float32", "float16", "bfloat16")


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model that passed the self-check. Any number of runners may share it: `lock` is held around each forward."""

    name: str
    model: CausalLM
    tokenizer: TextTokenizer
    shape: KVShape
    device: str
    dtype: str
    max_positions: int
    report: SelfCheckReport
    chat: ChatTemplate | None = None
    """How its chats are written; None where the tokenizer has no template."""

    @property
    def lock(self) -> Lock:
        """The model's lock."""
        return self.model.lock


def load(
    name_or_path: str,
    *,
    device: str = "auto",
    dtype: str | None = None,
    threads: int | None = None,
    hub: bool = False,
    progress: Callable[[str], None] | None = None,
) -> LoadedModel:
    """Load a known model or a local folder (config.json, tokenizer.json, *.safetensors) and check it.

    hub lets an id of the Hugging Face hub be a name too, whose files are then downloaded; without it nothing is.
    device is "auto" (the first there is of CUDA, MPS and CPU), "cpu", "cuda", "cuda:N" or "mps"; dtype one of `DTYPES`,
    float32 if not given.
    threads sets torch's for the whole process; by default the tiny model takes one, which is its fastest on busy
    cores, and others leave it alone. progress is told each of `STEPS`.

    Raises:
        UnknownModel, UnknownDevice, UnknownDtype: no such name.
        ModelRefused: the files are unusable or the self-check found other logits; `reason` says which.
        FetchFailed: the hub has no such model, or cannot be reached.
    """
    if dtype is not None and dtype not in DTYPES:
        raise UnknownDtype(dtype, DTYPES)
    tell = progress or (lambda step: None)
    folder = _find(name_or_path, tell, hub=hub)
    folder.check()
    tokenizer, chat = read_tokenizer(folder), ChatTemplate.from_folder(folder)
    tell("torch")
    place, number_type = _open_torch(folder, device, dtype, threads)
    tell("transformers")
    with _collector_spared():
        from radixviz.model import weights

        weights.import_model_class(folder)
    tell("weights")
    module = weights.read_weights(folder, place, number_type)
    tell("selfcheck")
    return replace(_check(folder, module, tokenizer), chat=chat)


def build_runner(
    loaded: LoadedModel,
    pool_pages: int,
    page_size: int,
    *,
    on_logits: OnLogits | None = None,
    tensors: type[KVTensors] | None = None,
) -> TorchRunner:
    """Return a runner with a pool of its own, of the model's dtype and on its device; `tensors` is its kind of memory.

    Raises:
        BadPoolPages, BadPageSize: below 1.
        ModelRefused: reason "out_of_memory"; `detail` has the bytes that were needed and those that are free.
    """
    from radixviz.model.kv_tensors import KVTensors
    from radixviz.model.torch_runner import TorchRunner

    model = loaded.model
    try:
        memory = (tensors or KVTensors)(loaded.shape, pool_pages, page_size, dtype=model.dtype, device=model.device)
    except MemoryError as error:
        needed, free = error.args
        detail = f"{needed:,} B" if free is None else f"{needed:,} B > {free:,} B"
        raise ModelRefused(loaded.name, "out_of_memory", detail) from error
    return TorchRunner(model, memory, max_positions=loaded.max_positions, on_logits=on_logits)


def _find(name_or_path: str, tell: Callable[[str], None], *, hub: bool) -> ModelFolder:
    try:
        return locate(name_or_path)
    except UnknownModel:
        if not (hub and is_hub_id(name_or_path)):
            raise
    tell(HUB)
    return download(name_or_path)


@contextmanager
def _collector_spared() -> Iterator[None]:
    """Keep the garbage collector off what is imported, now and later, as it stays to the end anyway.

    Over the many objects of these imports the collector costs a fifth of the cold start, a pause of a quarter of a
    second at each later full run, and most of a second when the process ends.
    """
    was_enabled, before = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > before:
            gc.freeze()
        if was_enabled:
            gc.enable()


def _open_torch(
    folder: ModelFolder, device: str, dtype: str | None, threads: int | None
) -> tuple[torch.device, torch.dtype]:
    with _collector_spared():
        import torch

        from radixviz.model.device import choose_device
    if threads is None and folder.name == TINY:
        threads = 1
    if threads is not None:
        torch.set_num_threads(threads)
    number_type: torch.dtype = getattr(torch, dtype or "float32")
    return choose_device(device), number_type


def _check(folder: ModelFolder, module: PreTrainedModel, tokenizer: TextTokenizer) -> LoadedModel:
    from radixviz.model.causal_lm import CausalLM
    from radixviz.model.kv_shape import probe_kv_shape
    from radixviz.model.selfcheck import self_check

    model = CausalLM(module, folder.name)
    shape = probe_kv_shape(model)
    report = self_check(model, shape)
    not_passed = [window for window in model.attention_windows if window >= report.tokens]
    return LoadedModel(
        name=folder.name,
        model=model,
        tokenizer=tokenizer,
        shape=shape,
        device=str(model.device),
        dtype=str(model.dtype).removeprefix("torch."),
        max_positions=min([model.max_positions, *not_passed]),
        report=report,
    )
