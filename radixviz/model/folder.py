"""Where a model's files are, and whether they are the kind that we load. Imports neither torch nor transformers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from radixviz.errors import ModelRefused, UnknownModel
from radixviz.model.cache_folder import cache_folder

TINY = "tiny"
SMOLLM2 = "smollm2"
KNOWN_MODELS = (TINY, SMOLLM2)
CAUSAL_HEADS = ("ForCausalLM", "LMHeadModel")
PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder that holds a model, under the name by which it was asked for."""

    name: str
    path: Path

    @property
    def has_weights(self) -> bool:
        """Whether it has weights of the kind that we load."""
        return any(self.path.glob("*.safetensors"))

    def check(self) -> None:
        """Look at the files without reading weights.

        Raises:
            ModelRefused: as `check_settings`, or reason "pickle" (only pickled weights, which could run code) or
                "no_weights".
        """
        self._check_config()
        if not self.has_weights:
            pickled = sorted(file.name for file in self.path.iterdir() if file.suffix in PICKLED)
            raise ModelRefused(self.name, "pickle" if pickled else "no_weights", ", ".join(pickled) or str(self.path))
        self._check_tokenizer()

    def check_settings(self) -> None:
        """Look at what comes beside the weights.

        Raises:
            ModelRefused: reason "bad_config", "no_causal_head" or "no_tokenizer".
        """
        self._check_config()
        self._check_tokenizer()

    def read_json(self, file: str) -> dict[str, Any]:
        """Return the object in this file, empty if there is no such file.

        Raises:
            ModelRefused: reason "bad_config", if it is not readable as a JSON object.
        """
        try:
            content = json.loads((self.path / file).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise ModelRefused(self.name, "bad_config", f"{file}: {error}") from error
        if not isinstance(content, dict):
            raise ModelRefused(self.name, "bad_config", f"{file}: {type(content).__name__}")
        return content

    def _check_tokenizer(self) -> None:
        if not (self.path / "tokenizer.json").is_file():
            raise ModelRefused(self.name, "no_tokenizer", str(self.path / "tokenizer.json"))

    def _check_config(self) -> None:
        if not (self.path / "config.json").is_file():
            raise ModelRefused(self.name, "bad_config", "config.json")
        named = self.read_json("config.json").get("architectures")
        architectures = list(map(str, named)) if isinstance(named, list) else []
        if architectures and not any(name.endswith(CAUSAL_HEADS) for name in architectures):
            raise ModelRefused(self.name, "no_causal_head", ", ".join(architectures))


def fetched_folder(name: str) -> Path:
    """Return where a model that can be fetched is kept, whether it is there or not."""
    return cache_folder() / "models" / name


def locate(name_or_path: str) -> ModelFolder:
    """Return the folder of a known model ("tiny" lies beside the package), or of any local path with a config.json.

    Raises:
        UnknownModel: neither of the two.
        ModelRefused: reason "not_fetched", for a known model that is not here yet.
    """
    path = _known_path(name_or_path) or Path(name_or_path)
    try:
        found = bool(name_or_path) and (path / "config.json").is_file()
    except OSError:  # no name of a file: too long, or a folder that may not be read
        found = False
    if found:
        return ModelFolder(name_or_path, path)
    if name_or_path == SMOLLM2:
        raise ModelRefused(name_or_path, "not_fetched", f"python -m radixviz fetch {name_or_path}")
    raise UnknownModel(name_or_path, KNOWN_MODELS)


def _known_path(name: str) -> Path | None:
    if name == TINY:
        return Path(__file__).resolve().parents[2] / "tiny_model"
    return fetched_folder(name) if name == SMOLLM2 else None
