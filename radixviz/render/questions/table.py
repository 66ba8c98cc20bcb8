"""Questions as the player in the browser gets them: see `questions` in `radixviz.render.player_data`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from radixviz.render.questions.question import Question, Told
from radixviz.render.table import Json
from radixviz.render.terms import pieces
from radixviz.render.words import LANGUAGES, say

HIDDEN = "?"
"""Stands for each number that would tell the answer."""


def question_state(question: Question, index: int, before: Json) -> Json:
    """Return one question about the frame at `index`; `before` is the state of its frame before."""
    return {
        "frame": index,
        "kind": question.info.kind,
        "before": _covered(question, before),
        "options": [dict(text) for text in question.options],
        "right": list(question.right),
        "named": dict(question.named),
        "why": _pieces(question.why),
        "told": {answer: _pieces(told) for answer, told in question.said.items()},
        "most": question.most,
    }


def _covered(question: Question, before: Json) -> Json:
    """Return the frame with the question as its sentence, and without the numbers of a request that has just come."""
    how = {lang: [[say(lang, f"ask.how.{question.info.kind}"), None, None]] for lang in LANGUAGES}
    ask = _pieces(question.ask)
    told = {lang: {"say": ask[lang], "why": how[lang]} for lang in LANGUAGES}
    arrived = any(view.state == "waiting" for view in question.before.sequences)
    numbers, seqs = cast("list[str]", before["numbers"]), cast("list[dict[str, object]]", before["seqs"])
    return {
        **before,
        "told": told,
        "numbers": [numbers[0], HIDDEN, HIDDEN, *numbers[3:]] if arrived else numbers,
        "formula": {lang: [] for lang in LANGUAGES},
        "next": [HIDDEN],
        "seqs": [{**seq, "spans": [["asked", seq["shown"]]]} for seq in seqs] if arrived else seqs,
    }


def _pieces(told: Told) -> Mapping[str, object]:
    return {lang: pieces(told[lang], lang, set()) for lang in LANGUAGES}
