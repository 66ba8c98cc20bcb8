"""What the engine's callers need of a tokenizer, and how a chat is written where a model does not say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Tokenizer(Protocol):
    """Text to token ids and back, the bytes of each token, and the tokens of a chat."""

    @property
    def vocabulary_size(self) -> int:
        """Token ids are 0 to this, exclusive."""
        ...

    @property
    def stop_token_ids(self) -> tuple[int, ...]:
        """Tokens that end a reply."""
        ...

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the token ids of `text`; no special token is added, and text that spells one stays text."""
        ...

    def decode(self, token_ids: Sequence[int]) -> str:
        """Return the text of these ids together; bytes that are no character yet come out as U+FFFD."""
        ...

    def token_bytes(self, token_id: int) -> bytes:
        """Return the bytes that this token stands for; a token may be a part of a character."""
        ...

    def chat_opening(self, system: str, user: str) -> tuple[int, ...]:
        """Return the prompt of a chat's first turn, up to where the reply begins."""
        ...

    def chat_turn(self, user: str) -> tuple[int, ...]:
        """Return what comes behind a reply when the user goes on, up to where the next reply begins.

        The tokens before it stay as they are. A reply has no stop token any more: where a template closes it with one,
        that is the first of these.
        """
        ...


def plain_opening(system: str, user: str) -> str:
    """Return a chat's first prompt as plain text, for a model that has no chat template (our choice)."""
    return system + plain_turn(user)


def plain_turn(user: str) -> str:
    """Return what comes behind a reply in such a chat."""
    return f"\nUser: {user}\nAssistant:"
