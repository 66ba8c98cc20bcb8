"""Errors and unmet expectations in the reader's language: the thing, the value and the limit in one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import is_dataclass

from radixviz.errors import (
    BadPageSize,
    BadPoolPages,
    BadScenario,
    BadTokenId,
    FetchFailed,
    ModelRefused,
    NotTimeline,
    NotWritten,
    RadixVizError,
)
from radixviz.render.words import say, words
from radixviz.timeline import StageKey, Unmet

_SYSTEM = ("ENOENT", "EACCES", "EPERM", "EISDIR", "ENOTDIR", "ENOSPC", "EDQUOT", "EROFS", "ENAMETOOLONG")
"""The system's errors that have words; another is told by its name."""
_LONGEST = 300
"""Characters of a detail that is not ours."""


def explain(error: RadixVizError, lang: str) -> str:
    """Return one sentence about an error. A class without a text of its own takes that of its base.

    Raises UnknownLanguage.
    """
    values = {name: _shown(value, lang) for name, value in _facts(error).items()}
    match error:
        case BadPageSize(limit=int()):
            return say(lang, "error.BadPageSize.limit", **values)
        case BadTokenId(limit=int()):
            return say(lang, "error.BadTokenId.limit", **values)
        case BadPoolPages(pool_pages=pages, limit=limit) if pages > limit:
            return say(lang, "error.BadPoolPages.limit", **values)
        case NotWritten(detail=detail) | NotTimeline(detail=detail) if detail in _SYSTEM:
            return say(lang, _key(error, lang), file=error.file, detail=say(lang, f"detail.{detail}"))
        case BadScenario():
            where, what = _place(error, lang), _problem(error, lang)
            return say(lang, _key(error, lang), file=error.file, place=where, problem=what)
        case ModelRefused() | FetchFailed():
            return say(lang, _key(error, lang), model=error.model, reason=_reason(error, lang))
        case _:
            return say(lang, _key(error, lang), **values)


def explain_unmet(unmet: Unmet, lang: str) -> str:
    """Return one sentence about an expectation that the run did not meet.

    Raises UnknownLanguage.
    """
    shown = {name: _outcome(unmet, text, lang) for name, text in (("expected", unmet.expected), ("found", unmet.found))}
    return say(lang, f"unmet.{unmet.kind}", stage=_stage(unmet.stage, lang), subject=unmet.subject, **shown)


def _facts(error: RadixVizError) -> Mapping[str, object]:
    # The bases carry nothing and are no dataclasses.
    return error.facts() if is_dataclass(error) else {}


def _key(error: RadixVizError, lang: str) -> str:
    names = (f"error.{kind.__name__}" for kind in type(error).__mro__)
    return next(name for name in names if name in words(lang))


def _shown(value: object, lang: str) -> object:
    """Return a fact as it is shown; numbers stay numbers, for the plurals."""
    if value is None:
        return say(lang, "none")
    if isinstance(value, tuple):
        return say(lang, "comma").join(map(str, value)) or say(lang, "none")
    return value if isinstance(value, int) else str(value)


# ------------------------------------------------------------------------------------------------ scenario and model
def _place(error: BadScenario, lang: str) -> str:
    if not error.where:
        return say(lang, "where.top", field=error.field) if error.field else ""
    kind, _, name = error.where.partition(" ")
    key = f"where.{kind}"
    part = say(lang, key, name=name) if key in words(lang) else error.where
    part = say(lang, "stage.encore") if error.where == "stage encore" else part
    return say(lang, "where.part", part=part, field=error.field)


def _problem(error: BadScenario, lang: str) -> str:
    expected, _, found = error.detail.partition(", got ")
    key = f"problem.{error.problem}"
    if key not in words(lang):
        return _with_detail(error.problem, error.detail, lang)
    return say(lang, key, detail=_detail(error, lang), expected=expected, found=found)


def _detail(error: BadScenario, lang: str) -> str:
    """Return the detail in our words: parsers and systems speak one language only."""
    if error.problem == "unreadable" and error.detail in _SYSTEM:
        return say(lang, f"detail.{error.detail}")
    if error.problem == "unreadable" and (byte := re.fullmatch(r"UTF-8: .*, (\d+)", error.detail)):
        return say(lang, "detail.utf8", byte=byte[1])
    if error.problem == "syntax" and (spot := re.search(r"at line (\d+), column (\d+)", error.detail)):
        return say(lang, "detail.line", line=spot[1], column=spot[2])
    if error.problem == "syntax" and "at end of document" in error.detail:
        return say(lang, "detail.end")
    return error.detail


def _reason(error: ModelRefused | FetchFailed, lang: str) -> str:
    key = f"reason.{error.reason}"
    text = say(lang, key) if key in words(lang) else say(lang, "reason.other", reason=error.reason)
    return _with_detail(text, _model_detail(error.detail, lang), lang)


def _model_detail(detail: str, lang: str) -> str:
    """Return the detail in our words where there are any, else as one line: what libraries say may fill a page.

    There are words for the system's faults, which may have a place ("ENOSPC: models"), and for memory.
    """
    fault, _, place = detail.partition(": ")
    if fault in _SYSTEM:
        told = say(lang, f"detail.{fault}")
        return say(lang, "colon").join((told, place)) if place else told
    if memory := re.fullmatch(r"([\d,]+) B > ([\d,]+) B", detail):
        return say(lang, "detail.memory", asked=memory[1], free=memory[2])
    line = " ".join(detail.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST].rstrip()} …"


def _with_detail(text: str, detail: str, lang: str) -> str:
    return say(lang, "error.detail", text=text, detail=detail) if detail else text


# ------------------------------------------------------------------------------------------------ expectations
def _stage(stage: StageKey, lang: str) -> str:
    return say(lang, "stage.encore") if stage == "encore" else say(lang, "stage", stage=stage)


def _outcome(unmet: Unmet, text: str, lang: str) -> str:
    if unmet.kind == "look":
        return say(lang, f"look.{text}").lower() if f"look.{text}" in words(lang) else say(lang, "unmet.absent")
    if unmet.kind == "evicted":
        return say(lang, "comma").join(text.split(", ")) if text else say(lang, "nothing")
    return say(lang, text) if text in ("yes", "no", "none") else text
