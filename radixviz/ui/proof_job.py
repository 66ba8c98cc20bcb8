"""Measures a proof in the background, for the page."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Lock, Thread

import streamlit as st

from radixviz.errors import RadixVizError
from radixviz.model.loader import STEPS, load
from radixviz.proof import Proof
from radixviz.ui.kept_proof import KeptProof, keep_proof
from radixviz.ui.timeline_job import Progress, spare_collector

Tell = Callable[[str], None]
_SHARES = {"torch": 0.05, "transformers": 0.2, "weights": 0.4, "selfcheck": 0.5, "answer": 0.6, "first_token": 0.7}
"""Where each step begins, as measured on two cores."""


class ProofJob:
    """Measures one model in one number format, as often as it is asked to, but once at a time."""

    def __init__(self, model: str, dtype: str) -> None:
        self.progress = Progress()
        self.kept: KeptProof | None = None
        self.error: Exception | None = None
        self.running = False
        self._model = model
        self._dtype = dtype
        self._lock = Lock()

    def start(self) -> None:
        """Begin to measure, unless somebody has done so."""
        with self._lock:
            if self.running:
                return
            self.running, self.error, self.progress = True, None, Progress(STEPS[0], 0.0)
        Thread(target=self._run, name="proof", daemon=True).start()

    def _run(self) -> None:
        try:
            self.kept = keep_proof(self._model, self._dtype, make_proof(self._model, self._dtype, self._tell))
        except RadixVizError as error:
            self.error = error
        except Exception as error:  # shown in the page; what it was belongs into the log
            logging.getLogger(__name__).exception("the proof could not be made")
            self.error = error
        spare_collector()
        self.running = False

    def _tell(self, step: str) -> None:
        self.progress = Progress(step, _SHARES.get(step, 0.0))


@st.cache_resource(show_spinner=False, max_entries=8)
def proof_job(model: str, dtype: str) -> ProofJob:
    """Return the job for this model and number format, shared by all sessions."""
    return ProofJob(model, dtype)


def make_proof(model: str, dtype: str, tell: Tell) -> Proof:
    """Load the model and measure. Raises RadixVizError: it cannot be used."""
    loaded = load(model, dtype=dtype, hub=True, progress=tell)
    from radixviz.model.prove import prove  # with torch, which `load` has brought

    return prove(loaded, time.perf_counter, progress=tell)
