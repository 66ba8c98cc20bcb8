"""The last proof of each model and number format, kept on disk: the page shows it at once, with its date."""

from __future__ import annotations

import json
import logging
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from radixviz.model.cache_folder import cache_folder
from radixviz.proof import Proof

_NO_NAME = re.compile(r"[^\w.-]+")
"""What a model's folder or hub id may hold, and a file's name may not."""


@dataclass(frozen=True, slots=True)
class KeptProof:
    """A proof, and the day on which it was measured (ISO 8601)."""

    proof: Proof
    day: str


def read_proof(model: str, dtype: str) -> KeptProof | None:
    """Return the proof kept for this model; None if there is none, or its file cannot be read as one."""
    try:
        data = json.loads(_path(model, dtype).read_text(encoding="utf-8"))
        return KeptProof(Proof.of(data["proof"]), str(data["day"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep_proof(model: str, dtype: str, proof: Proof) -> KeptProof:
    """Keep this proof in the place of the one before; where nothing can be written, only the log says so."""
    kept = KeptProof(proof, time.strftime("%Y-%m-%d"))
    path = _path(model, dtype)
    beside = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps({"day": kept.day, "proof": proof.facts()}), encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        logging.getLogger(__name__).info("the proof is not kept: %s", error)
    return kept


def _path(model: str, dtype: str) -> Path:
    return cache_folder() / "proofs" / f"{_NO_NAME.sub('_', model)}-{dtype}.json"
