"""20,000 requests in token ids, the same at every run: half are turns of chats, half few-shot questions.

64 heads (system prompts and examples) are shared, the popular ones by many. A chat's next prompt is its last prompt,
the reply and a new message; few-shot questions come in bursts with one head.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

VOCABULARY = range(10, 32_000)
HEADS = 64
HEAD_TOKENS = (100, 1500)
SHORTEST_PROMPT = 200
LONGEST_CHAT = 3700
LIVE_CHATS = 200
NEW_CHAT = 0.15
"""How probable a new chat is once enough are live."""


class Exchange(NamedTuple):
    """A prompt and the reply that it gets."""

    prompt: array[int]
    reply: array[int]


@dataclass(slots=True, eq=False)
class Chat:
    """What was said so far, and how many turns are left."""

    context: array[int]
    turns_left: int


class CacheWorkload:
    """Draws the requests, all from one seed."""

    def __init__(self, seed: int = 0) -> None:
        self._random = Random(seed)
        self._heads = [self._tokens(*HEAD_TOKENS) for _ in range(HEADS)]
        self._popularity = [1 / (rank + 1) ** 0.8 for rank in range(HEADS)]
        self._chats: list[Chat] = []
        self._burst: list[array[int]] = []

    def requests(self, count: int) -> Iterator[Exchange]:
        """Yield the next `count` requests with their replies."""
        for _ in range(count):
            yield self._turn() if self._random.random() < 0.5 else self._question()

    def _turn(self) -> Exchange:
        """Let one of the live chats go on, or start one."""
        chat = self._some_chat()
        prompt = self._filled(chat.context + self._tokens(20, 300))
        reply = self._tokens(16, 256)
        chat.context = prompt + reply
        chat.turns_left -= 1
        if chat.turns_left <= 0 or len(chat.context) > LONGEST_CHAT:
            self._chats.remove(chat)
        return Exchange(prompt, reply)

    def _some_chat(self) -> Chat:
        if len(self._chats) < LIVE_CHATS or self._random.random() < NEW_CHAT:
            head = self._head()
            self._chats.append(Chat(head, self._random.randint(2, 8)))
            return self._chats[-1]
        return self._chats[self._random.randrange(len(self._chats))]

    def _question(self) -> Exchange:
        """Ask one more question about the head of the burst, or start a burst."""
        if not self._burst:
            head = self._head()
            self._burst = [head] * self._random.randint(8, 32)
        prompt = self._filled(self._burst.pop() + self._tokens(30, 200))
        return Exchange(prompt, self._tokens(4, 64))

    def _head(self) -> array[int]:
        return self._random.choices(self._heads, self._popularity)[0]

    def _filled(self, prompt: array[int]) -> array[int]:
        missing = SHORTEST_PROMPT - len(prompt)
        return prompt + self._draw(missing) if missing > 0 else prompt

    def _tokens(self, fewest: int, most: int) -> array[int]:
        return self._draw(self._random.randint(fewest, most))

    def _draw(self, count: int) -> array[int]:
        first, beyond = VOCABULARY.start, VOCABULARY.stop
        return array("q", [self._random.randrange(first, beyond) for _ in range(count)])
