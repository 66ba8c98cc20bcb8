"""The verb `fetch`: bring a model here that is not shipped, once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from radixviz.command_line import Command, UsageError
from radixviz.model.fetch import FETCHABLE, fetch
from radixviz.render.words import LANGUAGES, say

OK = 0
MEGABYTE = 1_000_000
_WIDTH = 24


def fetch_model(words: Sequence[str], language: str) -> int:
    """Run the verb; return the exit status. The folder goes to stdout, the bar to stderr.

    Raises UsageError, or FetchFailed.
    """
    options = _fetch_command(language).read(words, required=("name",))
    if options.name not in FETCHABLE:
        known = ", ".join(FETCHABLE)
        raise UsageError(say(language, "cli.not_fetched", value=options.name, known=known))
    bar = ProgressBar(sys.stderr, lambda step, done, size: _progress(options.name, step, done, size, language))
    try:
        folder = fetch(options.name, tell=bar.show)
    finally:
        bar.close()
    print(say(language, "fetch.done", model=options.name, folder=folder.path), file=sys.stderr)
    print(folder.path)
    return OK


class ProgressBar:
    """One line that fills up on a terminal; elsewhere, in a log, one line for each step and each tenth of it."""

    def __init__(self, stream: TextIO, text: Callable[[str, int, int], str]) -> None:
        self._stream = stream
        self._text = text
        self._live = stream.isatty()
        self._open = False
        self._last: tuple[str, int] | None = None

    def show(self, step: str, done: int, size: int) -> None:
        """Show how far a step is; 0 of 0: nobody counts."""
        place = (step, done * 10 // size if size else 0)
        if self._live:
            full = done * _WIDTH // size if size else 0
            bar = f"[{'█' * full}{'·' * (_WIDTH - full)}] " if size else ""
            self._stream.write(f"\r\x1b[K{bar}{self._text(step, done, size)}")
            self._stream.flush()
            self._open = True
        elif place != self._last:
            print(self._text(step, done, size), file=self._stream, flush=True)
        self._last = place

    def close(self) -> None:
        """End the line."""
        if self._open:
            self._stream.write("\n")
        self._open = False


def _progress(model: str, step: str, done: int, size: int, language: str) -> str:
    return say(language, f"fetch.{step}", model=model, done=f"{done / MEGABYTE:.1f}", size=f"{size / MEGABYTE:.1f}")


def _fetch_command(language: str) -> Command:
    command = Command("fetch", language)
    command.argument("name", known=", ".join(FETCHABLE))
    command.option("--lang", LANGUAGES[0], known=", ".join(LANGUAGES))
    return command
