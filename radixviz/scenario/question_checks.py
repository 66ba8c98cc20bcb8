"""What must hold of the questions of a stage."""

from __future__ import annotations

from collections.abc import Iterator

from radixviz.scenario.asked import Asked
from radixviz.scenario.fault import Fault, empty_faults, sentence_faults, words_faults
from radixviz.scenario.schema import AnswerSpec, QuestionSpec, Words
from radixviz.timeline import AMOUNT, AMOUNTS, PLACEHOLDERS

FEWEST_OFFERED, MOST_OFFERED = 2, 4
"""A room votes by hands."""


def question_faults(
    question: QuestionSpec, where: str, sequences: frozenset[str], marks: frozenset[str], asked: Asked
) -> Iterator[Fault]:
    """Check one question: its frame, its texts and its answers. `sequences` are those of its stage."""
    if question.sequence is not None and question.sequence not in sequences:
        yield Fault(where, "questions.sequence", "unknown", question.sequence)
    if question.numbers_of is not None and question.numbers_of not in asked.sequences:
        yield Fault(where, "questions.numbers_of", "unknown", question.numbers_of)
    if question.nth == 0 or question.nth < -1:
        yield Fault(where, "questions.nth", "limit", str(question.nth))
    for field, words in (("ask", question.ask), ("why", question.why)):
        yield from _text_faults(words, where, f"questions.{field}", marks)
    if question.kind == "node":
        if question.amount is not None:
            yield Fault(where, "questions.amount", "misplaced")
        if question.answers:
            yield Fault(where, "questions.answers", "misplaced")
        return
    if question.amount is None:
        yield Fault(where, "questions.amount", "missing")
    else:
        yield from _amount_faults(question.amount, where, "questions.amount")
    if question.kind == "choice" and not FEWEST_OFFERED <= len(question.answers) <= MOST_OFFERED:
        yield Fault(where, "questions.answers", "count", str(len(question.answers)))
    for answer in question.answers:
        yield from _answer_faults(answer, question.kind, where, marks)


def _answer_faults(answer: AnswerSpec, kind: str, where: str, marks: frozenset[str]) -> Iterator[Fault]:
    field = "questions.answers"
    if answer.amount is None and answer.after is None:
        yield Fault(where, f"{field}.amount", "missing")
    if answer.amount is not None:
        yield from _amount_faults(answer.amount, where, f"{field}.amount")
        if answer.after is not None:
            yield Fault(where, f"{field}.after", "misplaced")
    if answer.after is not None:
        yield from empty_faults(where, **{f"{field}.after": answer.after})
    needed = "say" if kind == "number" else "text" if answer.amount is None else None
    for name, words in (("text", answer.text), ("say", answer.say)):
        if words is not None:
            yield from _text_faults(words, where, f"{field}.{name}", marks)
        elif name == needed:
            yield Fault(where, f"{field}.{name}", "missing")


def _amount_faults(amount: str, where: str, field: str) -> Iterator[Fault]:
    if AMOUNT.fullmatch(amount) is None:
        yield Fault(where, field, "markup" if amount else "empty", amount)
        return
    for term in amount.split()[::2]:
        if term not in AMOUNTS and not (term.isascii() and term.isdecimal()):
            yield Fault(where, field, "unknown", term)


def _text_faults(words: Words, where: str, field: str, marks: frozenset[str]) -> Iterator[Fault]:
    yield from words_faults(where, field, words)
    yield from sentence_faults(where, field, words, PLACEHOLDERS, marks)
