"""The page "same answer?": what was measured, with its date, and measuring again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from radixviz.errors import ModelRefused
from radixviz.proof import Proof
from radixviz.render.proof_text import memory_line, verdict
from radixviz.render.words import words
from radixviz.ui import proof_job as jobs
from radixviz.ui.kept_proof import keep_proof, read_proof
from radixviz.ui.pages.proof import DTYPE, MEASURE, MODEL
from tests.render.test_proof_text import PROOF
from tests.ui.run_until import run_until

PAGE = "from radixviz.ui.pages.proof import show_proof\nshow_proof()\n"


@pytest.fixture(autouse=True)
def _no_jobs() -> Iterator[None]:
    jobs.proof_job.clear()
    yield
    jobs.proof_job.clear()


def open_page(lang: str = "en") -> AppTest:
    """Return the page, run once."""
    app = AppTest.from_string(PAGE, default_timeout=60)
    app.query_params["lang"] = lang
    return app.run()


def test_the_last_proof_is_shown_at_once_with_its_date() -> None:
    """One sentence, a table with a line for each hit rate, the day, the memory; nothing is measured."""
    kept = keep_proof("tiny", "float32", PROOF)
    app = open_page()
    assert not app.exception
    assert app.success[0].value.replace("\\", "") == verdict(PROOF, "en")
    table = next(text.value for text in app.markdown if text.value.startswith("|"))
    assert [line.split(" | ")[0] for line in table.splitlines()] == ["| hit", "| ---:", "| 0%", "| 90%"]
    measured = next(caption.value for caption in app.caption if kept.day in caption.value)
    assert measured.replace("\\", "").endswith(memory_line(PROOF, "en"))
    assert not app.get("progress")


def test_what_is_kept_is_read_back_and_what_is_damaged_is_not(cache_folder: Path) -> None:
    """Each model and number format has its own; a file that is no proof is none."""
    kept = keep_proof("tiny", "float32", PROOF)
    assert (read_proof("tiny", "float32"), read_proof("tiny", "bfloat16")) == (kept, None)
    for damage in ("", "[]", '{"day": "2026-01-01", "proof": {}}'):
        (cache_folder / "proofs" / "tiny-float32.json").write_text(damage, encoding="utf-8")
        assert read_proof("tiny", "float32") is None


def test_measuring_shows_progress_and_then_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """The button is out of use meanwhile; the result is kept for the next start."""
    go_on = threading.Event()

    def make(model: str, dtype: str, tell: jobs.Tell) -> Proof:
        tell("first_token")
        go_on.wait(10)
        return replace(PROOF, model=model, dtype=dtype)

    monkeypatch.setattr(jobs, "make_proof", make)
    app = open_page()
    assert words("en")["proof.none"] in [caption.value for caption in app.caption]
    app.button(key=MEASURE).click().run()
    run_until(app, lambda page: bool(page.get("progress")))
    assert app.get("progress")[0].proto.text == words("en")["prove.first_token"]
    assert app.button(key=MEASURE).disabled
    go_on.set()
    run_until(app, lambda page: bool(page.success))
    run_until(app, lambda page: not page.get("progress"))
    assert read_proof("tiny", "float32") is not None


def test_half_precision_is_not_called_identical() -> None:
    """Another number format has its own result, in another colour and with the gap beside the noise."""
    keep_proof("tiny", "bfloat16", replace(PROOF, dtype="bfloat16"))
    app = open_page("zh")
    app.selectbox(key=DTYPE).select("bfloat16").run()
    assert not app.success
    assert "不声称" in app.info[0].value


def test_a_model_that_cannot_be_used_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence, and what was measured before stays."""
    keep_proof("tiny", "float32", PROOF)

    def refuse(*_: object) -> Proof:
        raise ModelRefused("tiny", "out_of_memory", "9 B > 1 B")

    monkeypatch.setattr(jobs, "make_proof", refuse)
    app = open_page("zh")
    app.button(key=MEASURE).click().run()
    run_until(app, lambda page: bool(page.error))
    assert "内存不够" in app.error[0].value
    assert app.success


def test_only_models_that_are_here_are_offered(cache_folder: Path) -> None:
    """The others are named with what fetching them takes."""
    app = open_page()
    assert app.selectbox(key=MODEL).options == ["tiny"]
    assert "93 MB" in app.caption[-1].value
    (cache_folder / "models" / "smollm2").mkdir(parents=True)
    assert open_page().selectbox(key=MODEL).options == ["tiny", "smollm2"]


def test_the_real_proof_is_made() -> None:
    """Model, measurement and all."""
    told: list[str] = []
    proof = jobs.make_proof("tiny", "float32", told.append)
    assert proof.same_answer
    assert told == ["torch", "transformers", "weights", "selfcheck", "answer", "first_token"]
