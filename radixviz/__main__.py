"""The command line: what the app does, headless. Results go to stdout, progress and failures to stderr."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise

from radixviz import __version__
from radixviz.command_line import UsageError
from radixviz.errors import FetchFailed, RadixVizError, UnknownLanguage
from radixviz.render.explain import explain
from radixviz.render.words import BOTH, LANGUAGES, say

OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
VERBS = ("play", "export", "lesson", "fetch", "prove")
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


def _verb(name: str) -> Verb:
    """Return what one of `VERBS` does. It is imported here, so that no verb waits for what another one needs."""
    match name:
        case "play":
            from radixviz.play_command import play as verb
        case "export":
            from radixviz.export_command import export as verb
        case "lesson":
            from radixviz.lesson_command import lesson as verb
        case "fetch":
            from radixviz.fetch_command import fetch_model as verb
        case _:
            from radixviz.prove_command import prove_model as verb
    return verb


def _run(given: Sequence[str], language: str) -> int:
    verb = next((word for word in given if word in VERBS), None)
    if verb is not None:
        rest = list(given)
        rest.remove(verb)
        return _verb(verb)(rest, language)
    if "--version" in given:
        print(__version__)
        return OK
    if "-h" in given or "--help" in given:
        print(_overview(language))
        return OK
    wanted = [word for word in given if not word.startswith("-") and word != language]
    if wanted:
        raise UsageError(say(language, "cli.unknown_command", value=wanted[0], known=", ".join(VERBS)))
    raise UsageError(say(language, "cli.missing_argument", value=" | ".join(VERBS)))


def _overview(language: str) -> str:
    lines = [f"  {verb:<8}{say(language, f'cli.{verb}.help')}" for verb in VERBS]
    verbs = "|".join(VERBS)
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


if __name__ == "__main__":
    sys.exit(main())
