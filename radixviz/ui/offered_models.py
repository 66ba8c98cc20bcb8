"""Which models the page offers: those that are here, and the one that whoever started the app has configured.

A visitor chooses among names. A folder or a hub id comes from the command line or the environment only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from radixviz.command_line import Command, UsageError
from radixviz.errors import RadixVizError, UnknownModel
from radixviz.model.fetch import WHEELS
from radixviz.model.folder import KNOWN_MODELS, TINY, fetched_folder, locate
from radixviz.model.hub import is_hub_id
from radixviz.render.words import LANGUAGES

MODEL_VARIABLE = "RADIXVIZ_MODEL"
"""The environment variable that names the page's model; `--model` behind the app's `--` goes before it."""
SCRIPT = "app.py"


@dataclass(frozen=True, slots=True)
class OfferedModels:
    """The models by the name that the page shows, each with what `load` takes; and the one that is shown unasked.

    `error` says why the configured model is not among them.
    """

    sources: Mapping[str, str]
    usual: str = TINY
    error: RadixVizError | UsageError | None = None


def find_models(lang: str = LANGUAGES[0]) -> OfferedModels:
    """Return what is offered now: a model that has been fetched meanwhile too."""
    try:
        configured = configured_model(sys.argv, os.environ, lang)
    except UsageError as error:
        return OfferedModels(_models_here(), error=error)
    return offered_models(configured)


def offered_models(configured: str | None) -> OfferedModels:
    """Return the models that are here, with the configured one where it can be used; weights are not read yet."""
    here = _models_here()
    if configured is None:
        return OfferedModels(here)
    try:
        _check(configured)
    except RadixVizError as error:
        return OfferedModels(here, error=error)
    name = _shown_name(configured, here)
    return OfferedModels({**here, name: configured}, name)


def configured_model(argv: Sequence[str], environment: Mapping[str, str], lang: str) -> str | None:
    """Return the model of the command line, else that of the environment, else None.

    Streamlit puts the script and what stands behind `--` into argv; another program's argv is none of ours.
    Raises UsageError for words that mean nothing here.
    """
    words = argv[1:] if argv and Path(argv[0]).name == SCRIPT else ()
    command = Command("app", lang)
    command.option("--model", "")
    return command.read(words).model or environment.get(MODEL_VARIABLE) or None


def absent_models() -> dict[str, int]:
    """Return the known models that are not here, with the bytes of their download."""
    return {model: wheel.size for model, wheel in WHEELS.items() if not fetched_folder(model).is_dir()}


def _models_here() -> dict[str, str]:
    absent = absent_models()
    return {model: model for model in KNOWN_MODELS if model not in absent}


def _check(configured: str) -> None:
    try:
        locate(configured).check()
    except UnknownModel:
        if not is_hub_id(configured):
            raise


def _shown_name(configured: str, here: Mapping[str, str]) -> str:
    """Return the name of a folder, or what was configured: a hub's id, and what would be taken for another model."""
    is_folder = configured not in KNOWN_MODELS and Path(configured).is_dir()
    name = Path(configured).resolve().name if is_folder else configured
    return configured if name in KNOWN_MODELS or name in here else name
