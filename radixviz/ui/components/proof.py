"""A proof on the page: one sentence, one table."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from radixviz.proof import Proof
from radixviz.render.proof_text import COLUMNS, headings, memory_line, row, setting, verdict
from radixviz.render.words import say
from radixviz.ui.components.plain_text import as_text
from radixviz.ui.kept_proof import KeptProof
from radixviz.ui.proof_job import ProofJob
from radixviz.ui.timeline_job import spare_collector

_SECONDS = 0.3


def show_proof_result(kept: KeptProof, lang: str) -> None:
    """Show whether the answer was the same, what it saved, and when and on what that was measured."""
    proof = kept.proof
    _box(proof)(as_text(verdict(proof, lang)))
    st.markdown(_table([headings(lang), ("---:",) * len(COLUMNS), *(row(first) for first in proof.first_tokens)]))
    st.caption(as_text(say(lang, "proof.note")))
    measured = say(lang, "proof.measured", day=kept.day, setting=setting(proof, lang))
    st.caption(as_text(f"{measured} {memory_line(proof, lang)}"))


@st.fragment(run_every=_SECONDS)
def show_proof_progress(job: ProofJob, lang: str) -> None:
    """Show what is being measured; when it is done the whole page runs once more."""
    spare_collector()
    if not job.running:
        st.rerun()
    step = job.progress.step
    word = "prove" if step in ("answer", "first_token") else "load"
    st.progress(job.progress.share, say(lang, f"{word}.{step}"))


def _box(proof: Proof):  # type: ignore[no-untyped-def]
    if not proof.is_exact:
        return st.info
    return st.success if proof.same_answer else st.error


def _table(lines: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
