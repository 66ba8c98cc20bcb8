"""The words of a scenario, as a timeline carries them."""

from __future__ import annotations

from radixviz.engine.tokenizer import Tokenizer
from radixviz.scenario.prompts import own_ids
from radixviz.scenario.schema import AnswerSpec, QuestionSpec, RequestSpec, Scenario, StageSpec, Words
from radixviz.timeline import AnswerInfo, QuestionInfo, RequestInfo, Script, StageInfo, StopInfo


def script_of(scenario: Scenario, tokenizer: Tokenizer, *, taught: bool) -> Script:
    """Return titles, sentences, names and glosses, so that a timeline can be shown without its scenario.

    Prompts are as this tokenizer writes them. What replies mean is known only of a model that was `taught` to say them.
    """
    return Script(
        title=_words(scenario.title),
        stages=tuple(_stage(spec) for spec in scenario.stage),
        requests={request.id: _request(scenario, request, tokenizer, taught) for request in scenario.request},
        names={name.name: _words(name.words) for name in scenario.name},
    )


def _words(words: Words | None) -> dict[str, str]:
    return {"en": words.en, "zh": words.zh} if words else {"en": "", "zh": ""}


def _stage(spec: StageSpec) -> StageInfo:
    stops = tuple(StopInfo(_words(stop.say), _words(stop.why)) for stop in spec.stops)
    questions = tuple(map(_question, spec.questions))
    return StageInfo(spec.stage, _words(spec.title), _words(spec.short), stops, spec.requests, questions)


def _question(spec: QuestionSpec) -> QuestionInfo:
    return QuestionInfo(
        kind=spec.kind,
        ask=_words(spec.ask),
        why=_words(spec.why),
        amount=spec.amount or "",
        answers=tuple(map(_answer, spec.answers)),
        sequence=spec.numbers_of,
    )


def _answer(spec: AnswerSpec) -> AnswerInfo:
    return AnswerInfo(spec.amount or "", spec.after or "", _words(spec.text), _words(spec.say))


def _request(scenario: Scenario, request: RequestSpec, tokenizer: Tokenizer, taught: bool) -> RequestInfo:
    gloss = request.gloss
    own = b"".join(map(tokenizer.token_bytes, own_ids(scenario, request, tokenizer)))
    before = scenario.text[request.before].gloss if request.before else ""
    return RequestInfo(
        request_id=request.id,
        label=_words(request.label),
        short=_words(request.short),
        prompt_text=own.decode("utf-8", "replace"),
        gloss="".join((before, gloss.system, gloss.user, gloss.text)),
        reply_glosses=(gloss.replies or (gloss.reply,)) if taught else (),
    )
