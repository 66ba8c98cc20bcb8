"""The weights of a folder, read by transformers: safetensors only, no code from the folder, nothing from the net."""
# mypy: disallow-untyped-calls=False
# transformers leaves its logging functions without annotations.

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from transformers import (
    CONFIG_MAPPING,
    MODEL_FOR_CAUSAL_LM_MAPPING,
    AutoConfig,
    AutoModelForCausalLM,
    PreTrainedModel,
)
from transformers.utils import logging

from radixviz.errors import ModelRefused
from radixviz.model.folder import ModelFolder


def import_model_class(folder: ModelFolder) -> None:
    """Import the code of the model's own class, which takes seconds and would otherwise come with the weights.

    Raises:
        ModelRefused: reason "unknown_architecture", "bad_config" or "no_causal_head".
    """
    model_type = str(folder.read_json("config.json").get("model_type"))
    if model_type not in CONFIG_MAPPING:  # its code would have to come with its files
        raise ModelRefused(folder.name, "unknown_architecture", model_type)
    try:
        config = AutoConfig.from_pretrained(folder.path, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # a config class may fail in its own way over a field that makes no sense
        raise ModelRefused(folder.name, "bad_config", str(error)) from error
    if type(config) not in MODEL_FOR_CAUSAL_LM_MAPPING:
        raise ModelRefused(folder.name, "no_causal_head", type(config).__name__)
    MODEL_FOR_CAUSAL_LM_MAPPING[type(config)]


def read_weights(folder: ModelFolder, device: torch.device, dtype: torch.dtype) -> PreTrainedModel:
    """Return the model on its device, in evaluation mode.

    Raises:
        ModelRefused: reason "out_of_memory", "bad_weights" or "missing_weights".
    """
    try:
        with _transformers_silent():
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                folder.path,
                dtype=dtype,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                output_loading_info=True,
                ignore_mismatched_sizes=True,
            )
        module: PreTrainedModel = loaded[0].to(device)
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise ModelRefused(folder.name, "out_of_memory", str(error)) from error
    except Exception as error:  # reading a stranger's files may fail in any way
        raise ModelRefused(folder.name, "bad_weights", str(error)) from error
    _refuse_gaps(folder, **loaded[1])
    return module


def _refuse_gaps(folder: ModelFolder, missing_keys: set[str], mismatched_keys: set[Any], **_: object) -> None:
    """Refuse weights that are not all there: transformers fills the gaps with random numbers and only warns."""
    if missing_keys:
        raise ModelRefused(folder.name, "missing_weights", ", ".join(sorted(missing_keys)[:3]))
    if mismatched_keys:
        name, found, expected = min(mismatched_keys)
        raise ModelRefused(folder.name, "bad_weights", f"{name}: {list(found)}, not {list(expected)}")


@contextmanager
def _transformers_silent() -> Iterator[None]:
    """Keep progress bars and reports off the terminal: what matters of them is raised."""
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
