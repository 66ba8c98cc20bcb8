"""Reading a command line in the reader's language: argparse for the work, our words for every text."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from radixviz.render.visible import visible
from radixviz.render.words import say
from radixviz.timeline import StageKey


class UsageError(Exception):
    """A command line that cannot be read; its text is the sentence for the reader."""


class Command:
    """The arguments of one verb. Every value is optional to argparse, so that what is missing is said by us."""

    def __init__(self, verb: str, language: str) -> None:
        self._language = language
        self._parser = _Parser(
            prog=f"python -m radixviz {verb}",
            description=say(language, f"cli.{verb}.help"),
            add_help=False,
            allow_abbrev=False,
            formatter_class=lambda prog: _HelpFormatter(prog, usage_prefix=say(language, "cli.usage")),
        )
        self._arguments = self._parser.add_argument_group(say(language, "cli.arguments"))
        self._options = self._parser.add_argument_group(say(language, "cli.options"))
        self._options.add_argument("-h", "--help", action="help", help=say(language, "cli.help.help"))

    def argument(self, name: str, **shown: str) -> None:
        """Add a positional argument."""
        self._arguments.add_argument(name, nargs="?", help=say(self._language, f"cli.{name}.help", **shown))

    def option(self, name: str, default: str | None = None, **shown: str) -> None:
        """Add an option with a value; `default` None is explained as the scenario's own, or as `shown` says."""
        known = say(self._language, "cli.default") if default is None else default
        text = say(self._language, f"cli.{_key(name)}.help", **{"default": known, **shown})
        self._options.add_argument(name, nargs="?", const="", default=default, help=text)

    def flag(self, name: str) -> None:
        """Add an option without a value."""
        self._options.add_argument(name, action="store_true", help=say(self._language, f"cli.{_key(name)}.help"))

    def read(self, words: Sequence[str], *, required: Sequence[str] = ()) -> argparse.Namespace:
        """Return the values; UsageError names a word that means nothing, or one that is missing."""
        try:
            options, unknown = self._parser.parse_known_args(list(words))
        except _UnreadableError as error:
            raise UsageError(say(self._language, "cli.bad_value", value=error)) from None
        if unknown:
            raise UsageError(say(self._language, "cli.unknown_argument", value=unknown[0]))
        for name in required:
            if not getattr(options, name):
                raise UsageError(say(self._language, "cli.missing_argument", value=name))
        return options


def whole_number(language: str, option: str, text: str | None) -> int | None:
    """Return the number that an option was given, None when it was not given; UsageError for anything else."""
    try:
        return None if text is None else int(text)
    except ValueError:
        raise UsageError(say(language, "cli.bad_number", option=option, value=text)) from None


def print_progress(text: str) -> None:
    """Print what is being done to stderr, at once."""
    print(text, file=sys.stderr, flush=True)


def print_stage(stage: StageKey, language: str) -> None:
    """Print which stage is being played to stderr."""
    name = say(language, "stage.encore") if stage == "encore" else say(language, "stage", stage=stage)
    print_progress(say(language, "cli.playing", stage=name))


def print_chat_refusal(refusal: str | None, language: str) -> None:
    """Print to stderr that a model's chat template is not used, if there is such a reason, in the template's words."""
    if refusal is not None:
        print_progress(say(language, "chat.plain", detail=visible(refusal)))


class _UnreadableError(Exception):
    """What argparse could not read: the option."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        named = re.search(r"--?[\w-]+", message)  # its sentence is English; the option is what matters
        raise _UnreadableError(named[0] if named else message)


class _HelpFormatter(argparse.HelpFormatter):
    def __init__(self, prog: str, usage_prefix: str) -> None:
        super().__init__(prog)
        self._usage_prefix = usage_prefix

    def add_usage(self, usage, actions, groups, prefix=None):  # type: ignore[no-untyped-def]
        """Put our word in the place of argparse's "usage: "."""
        super().add_usage(usage, actions, groups, self._usage_prefix)


def _key(option: str) -> str:
    return option.removeprefix("--").replace("-", "_")
