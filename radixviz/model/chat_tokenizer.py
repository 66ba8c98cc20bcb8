"""A tokenizer with a chat template: the chats of a scenario as the model was trained to read them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from tokenizers import Tokenizer

from radixviz.errors import ModelRefused
from radixviz.model.chat_template import ChatTemplate, Message
from radixviz.model.folder import ModelFolder
from radixviz.model.tokenizer import TextTokenizer, read_rules, read_stop_token_ids


class ChatTokenizer(TextTokenizer):
    """Chats are what the template writes; plain text, where it takes no system message or no second turn.

    The template is filled when a chat is first asked for: that imports transformers.
    """

    def __init__(self, tokenizer: Tokenizer, stop_token_ids: Sequence[int], template: ChatTemplate) -> None:
        """Take over `tokenizer`, as its base class does."""
        super().__init__(tokenizer, stop_token_ids)
        self._template = template

    @cached_property
    def chat_refusal(self) -> str | None:
        """As the base class says."""
        opening = [Message("system", "system"), Message("user", "user")]
        try:
            self._template.encode(opening, self)
            self._template.encode([*opening, Message("assistant", "assistant"), Message("user", "user")], self)
            self._template.encode_turn("user", self)
        except ModelRefused as refused:
            return refused.detail
        return None

    def chat_opening(self, system: str, user: str) -> tuple[int, ...]:
        """As the protocol says."""
        if self.chat_refusal is not None:
            return super().chat_opening(system, user)
        return self._template.encode([Message("system", system), Message("user", user)], self)

    def chat_turn(self, user: str) -> tuple[int, ...]:
        """As the protocol says."""
        if self.chat_refusal is not None:
            return super().chat_turn(user)
        return self._template.encode_turn(user, self)


def read_tokenizer(folder: ModelFolder) -> TextTokenizer:
    """Return the folder's tokenizer, which writes chats as its template does where there is one.

    Raises ModelRefused: reason "no_tokenizer", "no_tokens" or "bad_config".
    """
    template = ChatTemplate.from_folder(folder)
    if template is None:
        return TextTokenizer.from_folder(folder)
    return ChatTokenizer(read_rules(folder), read_stop_token_ids(folder), template)
