"""A model's chat template: messages to token ids, where a message never turns into a control token."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tokenizers import Tokenizer

from radixviz.errors import ModelRefused
from radixviz.model.folder import ModelFolder
from radixviz.model.tokenizer import TextTokenizer, read_rules

FILE = "chat_template.jinja"
_HELD = "\ue000{}\ue001"
"""What stands for a spelled control token while the template is filled: private characters and a number."""
_HELD_PATTERN = re.compile("\ue000(\\d+)\ue001")
_REPLY = "\ue000\ue001"
"""What stands for a reply while only what follows it is wanted."""
_CALENDAR = (
    "{% macro strftime_now(format) %}{{ format | replace('%d', '26') | replace('%b', 'Jul') | replace('%B', 'July')"
    " | replace('%m', '07') | replace('%Y', '2024') | replace('%A', 'Friday') }}{% endmacro %}\n"
)
"""What a template that asks for the day is told, Llama 3's own default: a chat is the same tokens on every day."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat; role is "system", "user" or "assistant"."""

    role: str
    content: str


class ChatTemplate:
    """The template of one model, and the two ways in which its texts become tokens.

    What the template writes may be a control token; what a message says is text, even where it spells one. The
    template brings its own first token, if any: none is added. A template is a stranger's program: transformers runs
    it in its sandbox.
    """

    def __init__(self, name: str, template: str, control: Tokenizer, names: Mapping[str, str]) -> None:
        """Take over `control`, a tokenizer of its own; `names` are the template's, such as bos_token."""
        self._name = name
        self._template = template
        self._names = dict(names)
        self._control = control
        self._control.no_truncation()
        self._control.no_padding()
        self._spelled = sorted((token.content for token in control.get_added_tokens_decoder().values()), key=len)[::-1]

    @classmethod
    def from_folder(cls, folder: ModelFolder) -> ChatTemplate | None:
        """Return the folder's template; None where its tokenizer has none, as base models do.

        Raises ModelRefused: as `read_rules`, or reason "bad_config".
        """
        settings = folder.read_json("tokenizer_config.json")
        written = _read(folder)
        template = settings.get("chat_template") if written is None else written
        if not isinstance(template, str):
            return None
        names = {key: _text_of(value) for key, value in settings.items() if key.endswith("_token")}
        return cls(folder.name, template, read_rules(folder), {key: value for key, value in names.items() if value})

    def encode(self, messages: Sequence[Message], text: TextTokenizer) -> tuple[int, ...]:
        """Return the ids of this chat, up to where the assistant is to go on. `text` turns held words into ids.

        Raises ModelRefused: reason "chat_template", if the template does not take these messages.
        """
        held: list[str] = []
        return self._ids(self._fill(messages, held), held, text)

    def encode_turn(self, user: str, text: TextTokenizer) -> tuple[int, ...]:
        """Return the ids that follow a reply when the user goes on, up to where the assistant is to go on again.

        They are what the template writes behind any reply: the token that closes it, the user's turn, the header of the
        next. A template that writes the turns before it another way by then changes nothing of this.

        Raises ModelRefused: reason "chat_template", if the template does not take a second turn.
        """
        held: list[str] = []
        chat = [Message("user", user), Message("assistant", _REPLY), Message("user", user)]
        _, reply, turn = self._fill(chat, held).rpartition(_REPLY)
        if not reply:
            raise ModelRefused(self._name, "chat_template", "assistant")
        return self._ids(turn, held, text)

    def _ids(self, filled: str, held: Sequence[str], text: TextTokenizer) -> tuple[int, ...]:
        ids: list[int] = []
        for place, part in enumerate(_HELD_PATTERN.split(filled)):
            if place % 2:
                ids.extend(text.encode(held[int(part)]))
            else:
                ids.extend(self._control.encode(part, add_special_tokens=False).ids)
        return tuple(ids)

    def _hide(self, content: str, held: list[str]) -> str:
        """Put a number in the place of each control token that a message spells."""
        for token in self._spelled:
            while token in content:
                content = content.replace(token, _HELD.format(len(held)), 1)
                held.append(token)
        return content

    def _fill(self, messages: Sequence[Message], held: list[str]) -> str:
        """Return the filled template; control tokens that the messages spell are put into `held`."""
        from transformers.utils import chat_template_utils

        hidden = [{"role": each.role, "content": self._hide(each.content, held)} for each in messages]
        render: Any = chat_template_utils.render_jinja_template
        template = _CALENDAR + self._template
        try:
            rendered = render([hidden], chat_template=template, add_generation_prompt=True, **self._names)
        except Exception as error:  # the template is a program of its own, and refuses in its own words
            raise ModelRefused(self._name, "chat_template", str(error)) from error
        return str((rendered[0] if isinstance(rendered, tuple) else rendered)[0])


@dataclass(frozen=True, slots=True)
class RewrittenTurn:
    """A first turn that its template writes another way once a second one follows.

    Of `length` tokens the first `shared` are the same; then `was` becomes `now`, both as text.
    """

    length: int
    shared: int
    was: str
    now: str


def rewritten_turn(
    chat: ChatTemplate, text: TextTokenizer, messages: Sequence[Message], reply: str, further: str
) -> RewrittenTurn | None:
    """Return how the template rewrites these messages and the reply when the user goes on; None if it does not.

    Raises ModelRefused: reason "chat_template", if the template does not take these messages.
    """
    before = chat.encode(messages, text) + text.encode(reply)
    after = chat.encode([*messages, Message("assistant", reply), Message("user", further)], text)
    shared = first_difference(before, after)
    if shared == len(before):
        return None
    return RewrittenTurn(
        len(before), shared, text.decode(before[shared : shared + 1]), text.decode(after[shared : shared + 1])
    )


def first_difference(left: Sequence[int], right: Sequence[int]) -> int:
    """Return how many ids two chats have in common from the start: there a cache's reuse ends.

    A template that writes an earlier turn another way once a new one follows is seen here: the number is then smaller
    than the earlier chat is long.
    """
    shared = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        shared += 1
    return shared


def _read(folder: ModelFolder) -> str | None:
    """Return what is in the template's own file, None if there is none."""
    try:
        return (folder.path / FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ModelRefused(folder.name, "bad_config", f"{FILE}: {error}") from error


def _text_of(value: object) -> str:
    """Return a token of the settings, which is a text or an object with its content."""
    content = value.get("content") if isinstance(value, dict) else value
    return content if isinstance(content, str) else ""
