"""The Timeline: frozen frames of everything that happened, from which every picture and sentence is made.

Forward, back, jump, link, export and test are all "choose a frame". Nothing here knows a scenario, a model or a
screen; `radixviz.recorder` makes the frames while an engine runs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from radixviz.cache.snapshot import NodeView, PoolSnapshot, TreeSnapshot
from radixviz.engine.metrics import Metrics
from radixviz.events import Event, Phase

Look = Literal["new", "hit", "evicted", "cached"]
TokenKind = Literal["reused", "pending", "computed", "again", "generated"]
StageKey = int | Literal["encore"]
Words = Mapping[str, str]
"""The same text in each language, by language code ("en", "zh")."""


@dataclass(frozen=True, slots=True)
class NodeMark:
    """How one node (or ghost) is to be shown in one frame.

    new: it holds K and V first computed in this stage · hit: it lies on a path matched in this stage · evicted: a
    ghost, to the end of its stage · cached: else. `letter` is the figure's letter now, `letters` all it has had,
    `name` its stable name; `repeats` the sample whose answer this older node already held.
    """

    look: Look
    name: str | None = None
    letter: str | None = None
    letters: tuple[str, ...] = ()
    repeats: int | None = None


@dataclass(frozen=True, slots=True)
class Ghost:
    """A node evicted in this stage, as it was, and the frame (its index in the timeline) in which it went."""

    node: NodeView
    evicted_in: int


@dataclass(frozen=True, slots=True)
class Missing:
    """Where a match stopped at text that had been in the tree once: below `parent_id` there was a node of `tokens`."""

    sequence_id: str
    parent_id: int | None
    node_id: int
    """The id that the evicted node had."""
    tokens: int
    name: str | None
    letter: str | None
    evicted_in_stage: StageKey


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """A run of tokens of one kind.

    reused: K and V were in the pool · pending: prompt tokens still to be computed · computed: by this prefill ·
    again: computed now, though they had been computed before and were evicted since · generated: sampled.
    """

    kind: TokenKind
    count: int


@dataclass(frozen=True, slots=True)
class SequenceView:
    """One request (or one sample of it) as it stands in a frame."""

    sequence_id: str
    request_id: str
    sample: int
    """1 to n; 1 when only one was asked for."""
    samples: int
    prompt_len: int
    token_ids: tuple[int, ...]
    spans: tuple[TokenSpan, ...]
    """Adds up to `token_ids`."""
    prefix_len: int
    """Tokens matched, L_hit."""
    cached_tokens: int
    """Tokens reused, at most one less than the prompt."""
    stop_token: bool
    """Whether the last token is a stop token, which is not part of the text."""
    state: Literal["waiting", "running", "finished"]
    node_id: int | None
    """The deepest node that it holds."""
    tail_len: int
    """Tokens of it whose K and V are in its own pages, not yet in the tree."""
    tail_pages: tuple[int, ...]

    @property
    def output_ids(self) -> tuple[int, ...]:
        """The tokens sampled so far, without the stop token."""
        end = len(self.token_ids) - (1 if self.stop_token else 0)
        return self.token_ids[self.prompt_len : end]

    @property
    def output_len(self) -> int:
        """The number of tokens sampled so far, the stop token included."""
        return len(self.token_ids) - self.prompt_len

    def count(self, kind: TokenKind) -> int:
        """Return how many of its tokens are of this kind."""
        return sum(span.count for span in self.spans if span.kind == kind)


@dataclass(frozen=True, slots=True)
class Queue:
    """Who waits and who runs, as sequence ids in order."""

    waiting: tuple[str, ...] = ()
    running: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """One moment: one press of the right arrow key.

    `stop` is the number (from 0) of the author's stop of its stage that this frame is, or None.
    `stage_frame` counts from 1 within the stage. `events` are what happened since the frame before.
    """

    index: int
    stage: StageKey
    stage_frame: int
    phase: Phase
    requests: tuple[str, ...]
    """The sequence ids that this frame is about."""
    events: tuple[Event, ...]
    tree: TreeSnapshot
    ghosts: tuple[Ghost, ...]
    missing: tuple[Missing, ...]
    pool: PoolSnapshot
    sequences: tuple[SequenceView, ...]
    """All sequences of this stage, finished ones too."""
    queue: Queue
    metrics: Metrics
    labels: Mapping[int, NodeMark]
    """By node id, for every node of the tree and every ghost."""
    stop: int | None = None
    question: int | None = None
    """The number (from 0) of the question of its stage that is asked before this frame is shown, or None."""


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What computed the timeline, and what its pages are made of."""

    model: str
    device: str
    dtype: str
    page_size: int
    pool_pages: int
    kv_bytes_per_token: int


@dataclass(frozen=True, slots=True)
class StopInfo:
    """What the author says at one stop. `say` and `why` hold {placeholders} that `render.narrate` fills per frame."""

    say: Words
    why: Words


@dataclass(frozen=True, slots=True)
class AnswerInfo:
    """An answer that the author foresees.

    It is `amount`, a sum of numbers of the frame ("prompt + generated - 1"), or, where `after` is not empty, the number
    of prompt tokens up to the end of that text. `text` is how a choice offers it; where it is empty, an amount is
    offered as the word that ends there in the prompt. `say` is what is said to whoever gives it, when it is wrong.
    """

    amount: str
    after: str
    text: Words
    say: Words


@dataclass(frozen=True, slots=True)
class QuestionInfo:
    """What the author asks before a frame is shown; the right answer is computed from the frame.

    number: `amount` is right, and `answers` are wrong ones · choice: of the `answers` that are offered, the one that
    comes to `amount` is right · node: the nodes that are evicted in the frame. The numbers are the frame's own, or
    those of the frame in which `sequence` is looked up, when the question is about what is still to come.
    """

    kind: Literal["number", "choice", "node"]
    ask: Words
    why: Words
    amount: str = ""
    answers: tuple[AnswerInfo, ...] = ()
    sequence: str | None = None


@dataclass(frozen=True, slots=True)
class StageInfo:
    """One stage's title (`short` fits a ruler), its stops and its questions, each in order."""

    stage: StageKey
    title: Words
    short: Words
    stops: tuple[StopInfo, ...]
    requests: tuple[str, ...]
    questions: tuple[QuestionInfo, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestInfo:
    """How a request is called, and the Chinese of its English text (prompt part and each reply)."""

    request_id: str
    label: Words
    short: Words
    prompt_text: str
    gloss: str
    reply_glosses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """The scenario's words, so that a timeline can be shown without its scenario."""

    title: Words
    stages: tuple[StageInfo, ...]
    requests: Mapping[str, RequestInfo]
    names: Mapping[str, Words]
    """What each stable node name (SYS, A1, ...) stands for."""

    def stage(self, stage: StageKey) -> StageInfo:
        """Return the words of one stage."""
        return next(info for info in self.stages if info.stage == stage)


@dataclass(frozen=True, slots=True)
class Timeline:
    """Every frame of one run. `token_bytes` holds the bytes of each token id that occurs in it."""

    scenario: str
    run: RunInfo
    script: Script
    frames: tuple[Frame, ...]
    token_bytes: Mapping[int, bytes]
    unmet: tuple[Unmet, ...] = ()
    """Expectations of the scenario that did not come true: what really happened is in the frames."""

    def stages(self) -> tuple[StageKey, ...]:
        """Return the stages in order."""
        return tuple(dict.fromkeys(frame.stage for frame in self.frames))

    def stage_frames(self, stage: StageKey) -> tuple[Frame, ...]:
        """Return the frames of one stage in order."""
        return tuple(frame for frame in self.frames if frame.stage == stage)

    def last_frame(self, stage: StageKey) -> Frame:
        """Return the frame that shows how the stage ended."""
        return self.stage_frames(stage)[-1]

    def text(self, token_ids: tuple[int, ...]) -> str:
        """Return the text of these tokens; bytes that are not UTF-8 come out as U+FFFD."""
        return b"".join(self.token_bytes[token] for token in token_ids).decode("utf-8", "replace")


UNNAMED = "?"
"""Stands in an unmet expectation for a node that has neither a letter nor a name."""


@dataclass(frozen=True, slots=True)
class Unmet:
    """An expectation that the run did not meet: which stage, which kind, what was expected and what was found.

    Evicted nodes are told by letter, else by name, else by `UNNAMED`, with ", " between them.
    """

    stage: StageKey
    kind: Literal["hit", "evicted", "look", "split", "letter"]
    subject: str
    expected: str
    found: str


PLACEHOLDERS = frozenset(
    {
        "pool_pages",
        "page_size",
        "free",
        "nodes",
        "prompt",
        "prefix",
        "cached",
        "computed",
        "again",
        "generated",
        "written",
        "answer_token",
        "split_at",
        "short",
        "freed",
        "freed_tokens",
        "evicted_tokens",
        "duplicate_pages",
        "requests",
        "batch_prompt",
        "batch_cached",
        "batch_computed",
        "samples",
        "sample",
        "held",
        "extended",
        "sampled",
    }
)
"""The numbers that a sentence may ask for; `radixviz.render.values` says what each of them counts."""

AMOUNTS = PLACEHOLDERS | {"stored", "copies"}
"""The numbers that an amount may be made of; `radixviz.render.questions.amount` says what the two others count."""

AMOUNT = re.compile(r"\w+(?: [+-] \w+)*")
"""The form of an amount: names of numbers, and numbers, with + and - between them."""

MARKUP = re.compile(
    r"\{(?P<value>\w+)(?:\|(?P<role>\w+)|:(?P<one>[^|{}]*)\|(?P<many>[^|{}]*))?\}"
    r"|\[(?P<node>\w+)\]"
)
"""The markup of a sentence.

{freed}              the number, in bold
{freed|evicted}      the number, in the colour of a look
{freed:page|pages}   the word for one, or for any other number
[SYS], [c]           the node of this name or letter, in the colour of its look
"""
