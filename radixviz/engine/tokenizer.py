"""What the engine's callers need of a tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Tokenizer(Protocol):
    """Text to token ids and back, and the bytes of each token."""

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
