"""What can go wrong, as exceptions that carry facts.

Each class names one fault and carries the values and limits that a reader needs. The sentences, in the reader's
language, are made by `radixviz.render.explain`: no prose here.

    RadixVizError
    ├── BadValue (ValueError)            a setting outside its limits
    │   ├── BadPageSize, BadPoolPages, BadTokenCount, BadTokenId, UnknownPolicy
    │   └── EmptyPrompt, DuplicateRequest, BadTemperature, PromptTooLong, RequestTooLarge
    ├── NotFound (LookupError)           UnknownScenario, UnknownModel, UnknownLanguage, UnknownDevice
    │                                    UnknownDtype, UnknownSuffix, NoFolder, UnknownStage, UnknownFrame,
    │                                    BadFont, NoChineseFont, NoChromium, UnknownLesson
    ├── BadTimeline (ValueError)         NotTimeline, TimelineCutOff, TimelineTooLarge, TimelineTooNew
    ├── PdfRefused (RuntimeError)        a Chromium was there, but it made no PDF
    ├── NotWritten (OSError)             a file could not be written
    ├── BadScenario (ValueError)         file, where in it, which field, and what is wrong
    │   └── BadLesson                    the same of a lesson
    ├── CacheMisuse (ValueError)         NamespaceMismatch, SlotCountMismatch, BadSlot,
    │                                    PageSizeMismatch, NotLocked, ForeignNode
    ├── ResetRefused (RuntimeError)      the cache is in use
    ├── NothingEvicted (RuntimeError)    a cache promised tokens and gave none
    ├── PoolMisuse (ValueError)          PageFreedTwice, PoolExhausted
    ├── IntegrityError (AssertionError)  a law of conservation is broken: a bug of ours
    ├── ModelRefused (RuntimeError)      the self-check found other logits, or the files are not usable
    └── FetchFailed (RuntimeError)       a model could not be brought here
"""

from __future__ import annotations

import errno
from dataclasses import dataclass, fields


class RadixVizError(Exception):
    """Base of every error that radixviz raises on purpose."""

    def facts(self) -> dict[str, object]:
        """Return the fields of this error by name, for the sentence about it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __str__(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.facts().items())


def system_name(error: OSError) -> str:
    """Return the system's name of an error (ENOSPC), which has words in each language; else what it says itself."""
    return errno.errorcode.get(error.errno or 0) or error.strerror or str(error)


class BadValue(RadixVizError, ValueError):
    """A value outside its limits."""


@dataclass(eq=False)
class BadPageSize(BadValue):
    """The page size is below 1 or above what the pool holds."""

    page_size: int
    limit: int | None = None


@dataclass(eq=False)
class BadPoolPages(BadValue):
    """The pool has fewer than one page, or more than can be allocated."""

    pool_pages: int
    limit: int = 1


@dataclass(eq=False)
class BadTokenCount(BadValue):
    """A number of tokens is negative where only zero or more makes sense."""

    name: str
    value: int


@dataclass(eq=False)
class BadTokenId(BadValue):
    """A token id is not an integer of 64 bits; with a `limit`, it is not from 0 to there."""

    value: object
    position: int
    limit: int | None = None


@dataclass(eq=False)
class UnknownPolicy(BadValue):
    """No eviction or schedule policy has this name."""

    name: str
    known: tuple[str, ...]


@dataclass(eq=False)
class EmptyPrompt(BadValue):
    """A request has no prompt token."""

    request: str


@dataclass(eq=False)
class DuplicateRequest(BadValue):
    """A request of this id was asked before."""

    request: str


@dataclass(eq=False)
class BadTemperature(BadValue):
    """A temperature is negative, infinite or not a number."""

    request: str
    value: float


@dataclass(eq=False)
class PromptTooLong(BadValue):
    """Prompt and reply need more positions than the model has."""

    request: str
    tokens: int
    limit: int


@dataclass(eq=False)
class RequestTooLarge(BadValue):
    """One request alone needs more pages than the whole pool has."""

    request: str
    pages: int
    limit: int


class NotFound(RadixVizError, LookupError):
    """A name that nothing answers to."""


@dataclass(eq=False)
class UnknownScenario(NotFound):
    """No scenario of this name is shipped."""

    name: str
    known: tuple[str, ...]


@dataclass(eq=False)
class UnknownLesson(NotFound):
    """No lesson of this name is shipped."""

    name: str
    known: tuple[str, ...]


@dataclass(eq=False)
class UnknownModel(NotFound):
    """Neither a known model nor a folder that holds one."""

    name: str
    known: tuple[str, ...]


@dataclass(eq=False)
class UnknownLanguage(NotFound):
    """No word list for this language."""

    name: str
    known: tuple[str, ...]


@dataclass(eq=False)
class UnknownDevice(NotFound):
    """torch has no such device here."""

    name: str
    known: tuple[str, ...]


@dataclass(eq=False)
class UnknownDtype(NotFound):
    """No number format of this name is offered."""

    name: str
    known: tuple[str, ...]


@dataclass(eq=False)
class UnknownSuffix(NotFound):
    """No kind of file that can be written has this ending."""

    name: str
    known: tuple[str, ...]


@dataclass(eq=False)
class NoFolder(NotFound):
    """The folder that a file is to be written into is not there."""

    folder: str


@dataclass(eq=False)
class UnknownStage(NotFound):
    """A frame was asked for (`name`, as STAGE.FRAME) of a stage that the run does not have."""

    name: str
    known: tuple[str, ...]


@dataclass(eq=False)
class UnknownFrame(NotFound):
    """A frame was asked for that its stage does not have: it has `limit`."""

    name: str
    limit: int


@dataclass(eq=False)
class BadFont(NotFound):
    """There is no font in this file."""

    file: str


@dataclass(eq=False)
class NoChineseFont(NotFound):
    """No font of this system, nor the one that was named, has Chinese."""


@dataclass(eq=False)
class NoChromium(NotFound):
    """No Chromium, Chrome or Edge was found, which a PDF needs."""


@dataclass(eq=False)
class PdfRefused(RadixVizError, RuntimeError):
    """The Chromium that was found or named made no PDF."""

    program: str


class BadTimeline(RadixVizError, ValueError):
    """A file that cannot be opened as a timeline."""


@dataclass(eq=False)
class NotTimeline(BadTimeline):
    """It is not a timeline of ours.

    `detail` is the first place that is not as it should be, or the system's name of the error that reading ended with.
    """

    file: str
    detail: str


@dataclass(eq=False)
class TimelineCutOff(BadTimeline):
    """It begins as a timeline does, but it is not whole."""

    file: str


@dataclass(eq=False)
class TimelineTooLarge(BadTimeline):
    """It has more bytes than are read."""

    file: str
    size: int
    limit: int


@dataclass(eq=False)
class TimelineTooNew(BadTimeline):
    """A later version of radixviz wrote it: `limit` is the latest that can be read."""

    file: str
    version: int
    limit: int


@dataclass(eq=False)
class NotWritten(RadixVizError, OSError):
    """A file could not be written; `detail` is the system's name of the error. What was there is unchanged."""

    file: str
    detail: str


@dataclass(eq=False)
class BadScenario(RadixVizError, ValueError):
    """A scenario file that cannot be played.

    `where` is the stage, request or name (for example "stage 5"; "" for the file itself), `field` the field, `detail`
    the value, and `problem` one of the keys that the word lists explain: missing, field (nobody knows it), type,
    unbound, duplicate, unknown, empty, limit, count, sum, order, misplaced, markup, syntax, unreadable. The detail of
    syntax is what the TOML parser said, of unreadable the system's name of the error (ENOENT) or where UTF-8 ends.
    """

    file: str
    where: str
    field: str
    problem: str
    detail: str = ""


@dataclass(eq=False)
class BadLesson(BadScenario):
    """A lesson's file that cannot be used; its fields are those of BadScenario, `where` is for example "state 3"."""


class CacheMisuse(RadixVizError, ValueError):
    """The prefix cache was asked for something that has no meaning."""


@dataclass(eq=False)
class NamespaceMismatch(CacheMisuse):
    """Two keys of different namespaces were compared; `part` says which part differs."""

    part: str
    left: str | None
    right: str | None


@dataclass(eq=False)
class SlotCountMismatch(CacheMisuse):
    """The number of slots is not the number of tokens."""

    tokens: int
    slots: int


@dataclass(eq=False)
class BadSlot(CacheMisuse):
    """A slot is not an integer of 64 bits."""

    value: object
    position: int


@dataclass(eq=False)
class PageSizeMismatch(CacheMisuse):
    """An engine was to run on a cache and a pool whose pages have other numbers of tokens."""

    cache: int
    pool: int


@dataclass(eq=False)
class NotLocked(CacheMisuse):
    """A node was unlocked that nobody holds."""

    node_id: int


@dataclass(eq=False)
class ForeignNode(CacheMisuse):
    """A node that does not belong to this tree: it was evicted, or the tree was reset."""

    node_id: int


@dataclass(eq=False)
class ResetRefused(RadixVizError, RuntimeError):
    """The cache was to be reset while sequences run or wait."""

    running: int
    waiting: int


@dataclass(eq=False)
class NothingEvicted(RadixVizError, RuntimeError):
    """The cache reported `evictable_size` tokens that could go, and evicting freed none of them."""

    evictable_size: int


class PoolMisuse(RadixVizError, ValueError):
    """Pages were handled against the rules."""


@dataclass(eq=False)
class PageFreedTwice(PoolMisuse):
    """A page was given back that is already free, or that the pool does not have."""

    page: int


@dataclass(eq=False)
class PoolExhausted(PoolMisuse):
    """Pages were needed, and nothing could be evicted or sent back to the queue."""

    pages: int
    free: int


@dataclass(eq=False)
class IntegrityError(RadixVizError, AssertionError):
    """A law that must hold at every moment does not: a bug of ours, never of the user's input."""

    law: str
    found: object
    expected: object


@dataclass(eq=False)
class ModelRefused(RadixVizError, RuntimeError):
    """A model cannot be used; `reason` is one of the keys that the word lists explain."""

    model: str
    reason: str
    detail: str = ""


@dataclass(eq=False)
class FetchFailed(RadixVizError, RuntimeError):
    """A model could not be brought here; `reason` is one of the keys that the word lists explain."""

    model: str
    reason: str
    detail: str = ""
