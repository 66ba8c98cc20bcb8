"""What a scenario file holds: requests, the nodes' names and letters, and the stages with their words.

Only shapes; what must hold between them is in `radixviz.scenario.checks`. Fields are those of the TOML file.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from radixviz.events import Phase
from radixviz.timeline import Look, StageKey

Tokens = Annotated[int, Meta(le=1_000_000)]
"""A number of tokens; what is below 1 is found by the checks."""


class Words(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The same text in English and in Chinese."""

    en: str
    zh: str


class SharedText(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Text that several requests begin with, and its Chinese."""

    text: str
    gloss: str


class Continues(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which sample of an earlier request a raw text goes on from: its prompt and its answer come before."""

    request: str
    sample: int = 1


class Gloss(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The Chinese of the parts of a request and of what the tiny model replies."""

    system: str = ""
    user: str = ""
    text: str = ""
    reply: str = ""
    replies: tuple[str, ...] = ()


class RequestSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One request.

    A chat turn has `session` and `user`, the first turn of a session `system` too; the turns of a session are in the
    order of the file. A text is raw, never templated: `before` names a shared text that it begins with, `continues`
    an answer that it goes on from. `reply` (with several samples: `replies`) is what the tiny model was taught.
    `reply_tokens` are the tokens to sample, the stop token included; with several samples one number for each.
    """

    id: str
    kind: Literal["chat", "text"]
    label: Words
    short: Words
    reply_tokens: Tokens | tuple[Tokens, ...]
    session: str | None = None
    system: str | None = None
    user: str | None = None
    before: str | None = None
    text: str | None = None
    continues: Continues | None = None
    samples: Annotated[int, Meta(le=64)] = 1
    temperature: float = 0.0
    reply: str | None = None
    replies: tuple[str, ...] = ()
    gloss: Gloss = field(default_factory=Gloss)

    def sequence_ids(self) -> tuple[str, ...]:
        """Return the ids of its sequences: its own id, or with "#1" to "#n" behind it."""
        if self.samples == 1:
            return (self.id,)
        return tuple(f"{self.id}#{sample}" for sample in range(1, self.samples + 1))

    def reply_lengths(self) -> tuple[int, ...]:
        """Return the tokens to sample, one number for each sample."""
        return (self.reply_tokens,) if isinstance(self.reply_tokens, int) else self.reply_tokens


class Bind(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which node is meant, by exactly one of three ways.

    last: the node that holds the last stored token of this sequence · prompt: the node in which the prompt of this
    request ends · common: the deepest node that the stored tokens of all these sequences pass through.
    """

    last: str | None = None
    prompt: str | None = None
    common: tuple[str, ...] = ()


class NameSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A stable name: what it stands for, and the ways to find its node; the first that finds one counts.

    Before the stage `since` nothing has this name.
    """

    name: str
    words: Words
    bind: tuple[Bind, ...]
    since: int = 1


class LetterSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The letter that a node has in the published figure at one stage."""

    letter: str
    bind: Bind


class StopSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A frame where the story pauses, and what the author says there.

    It is the `nth` frame of the stage (from 1; -1: the last) that has this phase and, where given, is about this
    sequence and holds such an event. The texts use the markup of `radixviz.timeline.MARKUP`.
    """

    phase: Phase
    say: Words
    why: Words
    sequence: str | None = None
    event: Literal["split", "evict"] | None = None
    nth: int = 1


class AnswerSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An answer that is foreseen, as in `radixviz.timeline.AnswerInfo`: exactly one of `amount` and `after`.

    A choice offers its `text`; where an amount has none, the word that ends there in the prompt. `say` names the
    mistake of whoever gives it; the right answer of a choice needs none.
    """

    amount: str | None = None
    after: str | None = None
    text: Words | None = None
    say: Words | None = None


class QuestionSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is asked before a frame is shown, as in `radixviz.timeline.QuestionInfo`.

    The frame is found as that of a stop is. A number and a choice say which `amount` is right. `numbers_of` is the
    sequence whose look-up gives the numbers, where they are not those of the frame.
    """

    kind: Literal["number", "choice", "node"]
    phase: Phase
    ask: Words
    why: Words
    amount: str | None = None
    answers: tuple[AnswerSpec, ...] = ()
    numbers_of: str | None = None
    sequence: str | None = None
    event: Literal["split", "evict"] | None = None
    nth: int = 1


class Expect(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the stage is to show. `hit` and `miss` are sequences that reuse some tokens and none.

    `evicted` are the letters of all evicted nodes, in order; `looks` are by node name at the stage's last frame,
    ghosts included; `split` says whether a node is split in this stage.
    """

    hit: tuple[str, ...] = ()
    miss: tuple[str, ...] = ()
    evicted: tuple[str, ...] = ()
    looks: dict[str, Look] = field(default_factory=dict)
    split: bool = False


class StageSpec(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One stage: its requests come together. `short` fits a ruler and has no number in it."""

    stage: StageKey
    title: Words
    short: Words
    requests: tuple[str, ...] = ()
    letters: tuple[LetterSpec, ...] = ()
    stops: tuple[StopSpec, ...] = ()
    questions: tuple[QuestionSpec, ...] = ()
    expect: Expect = field(default_factory=Expect)


class Intro(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Stage 0, before anything runs: a question over the prompts of some requests. Its texts are plain."""

    title: Words
    short: Words
    say: Words
    why: Words
    requests: tuple[str, ...]


class Scenario(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One story: what is asked of the engine, with which pool, and what is said about it."""

    format: int
    id: str
    page_size: int
    pool_pages: int
    title: Words
    intro: Intro
    request: tuple[RequestSpec, ...]
    stage: tuple[StageSpec, ...]
    text: dict[str, SharedText] = field(default_factory=dict)
    name: tuple[NameSpec, ...] = ()

    def find_request(self, request_id: str) -> RequestSpec | None:
        """Return the request of this id, or None."""
        return next((request for request in self.request if request.id == request_id), None)
