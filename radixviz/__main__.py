"""The command line: what the app does, headless. Results go to stdout, progress and failures to stderr."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from radixviz import __version__
from radixviz.command_line import Command, UsageError, print_chat_refusal, print_progress, print_stage, whole_number
from radixviz.errors import FetchFailed, RadixVizError, UnknownLanguage
from radixviz.export_command import export
from radixviz.fetch_command import fetch_model
from radixviz.lesson_command import lesson
from radixviz.prove_command import prove_model
from radixviz.render.explain import explain, explain_unmet
from radixviz.render.report import run_report
from radixviz.render.summary import run_summary
from radixviz.render.words import BOTH, LANGUAGES, say

OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
Verb = Callable[[Sequence[str], str], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status: 0, 1 (the run failed) or 2 (bad usage or bad input, one clear line)."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    _print_utf8()
    language = _language(given)
    readable = language if language in LANGUAGES else LANGUAGES[0]
    try:
        if language not in LANGUAGES and (language, "export" in given) != (BOTH, True):
            raise UnknownLanguage(language, LANGUAGES)
        status = _run(given, readable)
        sys.stdout.flush()  # a reader that is gone shows here at the latest
        return status
    except UsageError as error:
        print(say(readable, "cli.error", message=error), file=sys.stderr)
    except RadixVizError as error:
        print(say(readable, "cli.error", message=explain(error, readable)), file=sys.stderr)
        if isinstance(error, AssertionError | FetchFailed):
            return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever reads has enough, as `head` has
        _print_no_more()
        return FAILED
    return BAD_INPUT


def _print_utf8() -> None:
    """Print UTF-8 whatever the system's encoding: a pipe on Windows would refuse Chinese, and a tree's lines."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")


def _print_no_more() -> None:
    """Let what is still to be printed go nowhere: Python prints it at its end, and would fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _verbs() -> Mapping[str, Verb]:
    return {"play": _play, "export": export, "lesson": lesson, "fetch": fetch_model, "prove": prove_model}


def _run(given: Sequence[str], language: str) -> int:
    verbs = _verbs()
    verb = next((word for word in given if word in verbs), None)
    if verb is not None:
        rest = list(given)
        rest.remove(verb)
        return verbs[verb](rest, language)
    if "--version" in given:
        print(__version__)
        return OK
    if "-h" in given or "--help" in given:
        print(_overview(language))
        return OK
    wanted = [word for word in given if not word.startswith("-") and word != language]
    if wanted:
        raise UsageError(say(language, "cli.bad_choice", option="radixviz", value=wanted[0], known=", ".join(verbs)))
    raise UsageError(say(language, "cli.missing_argument", value=" | ".join(verbs)))


def _overview(language: str) -> str:
    lines = [f"  {verb:<8}{say(language, f'cli.{verb}.help')}" for verb in _verbs()]
    verbs = "|".join(_verbs())
    usage = f"{say(language, 'cli.usage')}python -m radixviz {{{verbs}}} [--lang en|zh] [-h] [--version]"
    return "\n".join([usage, "", say(language, "cli.description"), "", *lines])


def _language(given: Sequence[str]) -> str:
    """Find --lang before anything else is read: help and failures are in that language too."""
    found = LANGUAGES[0]
    for word, following in pairwise([*given, ""]):
        if word.startswith("--lang="):
            found = word.removeprefix("--lang=")
        elif word == "--lang":
            found = following
    return found


def _play_command(language: str) -> Command:
    command = Command("play", language)
    command.argument("scenario")
    command.option("--model", "tiny")
    command.option("--device", "auto")
    command.option("--dtype", "float32")
    command.option("--page-size")
    command.option("--pool-pages")
    command.flag("--json")
    command.flag("--no-times")
    command.option("--lang", LANGUAGES[0], known=", ".join(LANGUAGES))
    return command


def _play(words: Sequence[str], language: str) -> int:
    options = _play_command(language).read(words, required=("scenario",))
    page_size = whole_number(language, "--page-size", options.page_size)
    pool_pages = whole_number(language, "--pool-pages", options.pool_pages)

    # Imported here, so that a command line that cannot be read is refused at once.
    from radixviz.model import loader
    from radixviz.scenario.loader import find_scenario, load_scenario
    from radixviz.tour import check_pool, play_on_model

    scenario = load_scenario(find_scenario(options.scenario))
    check_pool(scenario, page_size=page_size, pool_pages=pool_pages)
    loaded = loader.load(
        options.model,
        device=options.device,
        dtype=options.dtype,
        hub=True,
        progress=lambda step: print_progress(say(language, f"load.{step}")),
    )
    print_chat_refusal(loaded.tokenizer.chat_refusal, language)
    seconds: dict[str, float] = {}
    timeline = play_on_model(
        scenario,
        loaded,
        page_size=page_size,
        pool_pages=pool_pages,
        now=time.perf_counter,
        on_stage=lambda stage: print_stage(stage, language),
        on_first_token=seconds.__setitem__,
    )
    for unmet in timeline.unmet:
        print(explain_unmet(unmet, language), file=sys.stderr)
    if options.json:
        report = run_report(timeline, language, None if options.no_times else seconds)
        print(json.dumps(report, ensure_ascii=False, indent=1))
    else:
        print(run_summary(timeline, language))
    return OK


if __name__ == "__main__":
    sys.exit(main())
