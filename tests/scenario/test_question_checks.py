from __future__ import annotations

from pathlib import Path

import pytest

from radixviz.errors import BadScenario
from radixviz.scenario.loader import load_scenario
from tests.scenario.small_scenario import edited

NUMBER = """
[[stage.questions]]
kind = "number"
phase = "match"
sequence = "A1"
amount = "prefix + 1 - computed"
ask = { en = "How many of {prompt}?", zh = "{prompt} 个里有几个？" }
why = { en = "So many.", zh = "这么多。" }
answers = [{ amount = "prompt", say = { en = "All?", zh = "全部？" } }]
"""
CHOICE = """
[[stage.questions]]
kind = "choice"
phase = "match"
amount = "prefix"
numbers_of = "A2"
ask = { en = "Where?", zh = "哪里？" }
why = { en = "There.", zh = "那里。" }
answers = [
  { after = "kind.", text = { en = "kind", zh = "kind" } },
  { amount = "0", text = { en = "nowhere", zh = "没有" }, say = { en = "No.", zh = "不。" } },
]
"""
NODE = """
[[stage.questions]]
kind = "node"
phase = "decode"
event = "evict"
ask = { en = "Which?", zh = "哪个？" }
why = { en = "That.", zh = "那个。" }
"""
ANSWERS = 'answers = [{ amount = "prompt", say = { en = "All?", zh = "全部？" } }]'
EXPECT = '\n[stage.expect]\nmiss = ["A1"]'


def load(path: Path, question: str, *edits: tuple[str, str]) -> int:
    """Load the small scenario with this question in its first stage; return how many that has."""
    for old, new in edits:
        assert old in question, old
        question = question.replace(old, new, 1)
    file = path / "small.toml"
    file.write_text(edited((EXPECT, question + EXPECT)), encoding="utf-8")
    return len(load_scenario(file).stage[0].questions)


@pytest.mark.parametrize("question", [NUMBER, CHOICE, NODE, NUMBER + CHOICE + NODE])
def test_an_author_can_ask(tmp_path: Path, question: str) -> None:
    """Questions of each kind, one or several in a stage."""
    assert load(tmp_path, question) == question.count("[[stage.questions]]")


@pytest.mark.parametrize(
    ("question", "edit", "field", "problem", "detail"),
    [
        (NUMBER, ('"number"', '"essay"'), "questions[0].kind", "unknown", "essay"),
        (NUMBER, ('sequence = "A1"', 'sequence = "A2"'), "questions.sequence", "unknown", "A2"),
        (NUMBER, ('sequence = "A1"', 'numbers_of = "Z"'), "questions.numbers_of", "unknown", "Z"),
        (NUMBER, ('sequence = "A1"', "nth = 0"), "questions.nth", "limit", "0"),
        (NUMBER, ('amount = "prefix + 1 - computed"\n', ""), "questions.amount", "missing", ""),
        (NUMBER, ("prefix + 1", "prefix plus 1"), "questions.amount", "markup", "prefix plus 1 - computed"),
        (NUMBER, ("prefix + 1", "luck + 1"), "questions.amount", "unknown", "luck"),
        (NUMBER, ("How many of {prompt}?", "How {many}?"), "questions.ask.en", "unknown", "{many}"),
        (NUMBER, ("So many.", " "), "questions.why.en", "empty", ""),
        (NUMBER, ('answers = [{ amount = "prompt", ', "answers = [{ "), "questions.answers.amount", "missing", ""),
        (NUMBER, ('say = { en = "All?", zh = "全部？" }', 'after = "x"'), "questions.answers.after", "misplaced", ""),
        (NUMBER, (', say = { en = "All?", zh = "全部？" }', ""), "questions.answers.say", "missing", ""),
        (CHOICE, (', text = { en = "kind", zh = "kind" }', ""), "questions.answers.text", "missing", ""),
        (CHOICE, ('after = "kind."', 'after = ""'), "questions.answers.after", "empty", ""),
        (NODE, ('kind = "node"', 'kind = "node"\namount = "1"'), "questions.amount", "misplaced", ""),
        (NODE, ('kind = "node"', f'kind = "node"\n{ANSWERS}'), "questions.answers", "misplaced", ""),
        (NODE, ('kind = "node"', 'kind = "choice"\namount = "1"'), "questions.answers", "count", "0"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(
    tmp_path: Path, question: str, edit: tuple[str, str], field: str, problem: str, detail: str
) -> None:
    """The error names the stage, the field and what is wrong with it."""
    with pytest.raises(BadScenario) as caught:
        load(tmp_path, question, edit)
    error = caught.value
    assert (error.where, error.field, error.problem, error.detail) == ("stage 1", field, problem, detail)
