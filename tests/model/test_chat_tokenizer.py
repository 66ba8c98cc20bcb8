"""The chats of a scenario as a tokenizer with a template writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from radixviz.model.chat_template import ChatTemplate, Message
from radixviz.model.chat_tokenizer import ChatTokenizer, read_tokenizer
from radixviz.model.folder import ModelFolder
from radixviz.model.tokenizer import TextTokenizer
from tests.model.chat_templates import CHATML, FORGETFUL, ONE_TURN, REASONING, STRICT, THINKING, TWO_WITHOUT_SYSTEM

END, BEGIN = "<|im_end|>", "<|im_start|>"


def opened(folder: Path, template: str) -> TextTokenizer:
    """Return the tokenizer of the folder with this template."""
    (folder / "chat_template.jinja").write_text(template, encoding="utf-8")
    return read_tokenizer(ModelFolder("chat", folder))


def test_a_chat_opens_and_goes_on_as_the_template_writes_it(chat_folder: Path) -> None:
    """Opening, reply and turn are the tokens of the whole chat: the turn begins with what closes the reply."""
    tokenizer = opened(chat_folder, CHATML)
    opening, reply, turn = (
        tokenizer.chat_opening("Be kind.", "Hello"),
        tokenizer.encode("Hi!"),
        tokenizer.chat_turn("So?"),
    )
    assert tokenizer.decode(opening) == (
        "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"
    )
    assert tokenizer.decode(turn) == "<|im_end|>\n<|im_start|>user\nSo?<|im_end|>\n<|im_start|>assistant\n"
    assert [tokenizer.decode([token]) for token in (turn[0], opening[0])] == [END, BEGIN]
    template = ChatTemplate.from_folder(ModelFolder("chat", chat_folder))
    assert template is not None
    roles = ("system", "Be kind."), ("user", "Hello"), ("assistant", "Hi!"), ("user", "So?")
    assert template.encode([Message(*said) for said in roles], tokenizer) == opening + reply + turn
    assert tokenizer.chat_refusal is None


@pytest.mark.parametrize("template", [CHATML, REASONING, THINKING])
def test_a_turn_is_the_same_whatever_a_template_makes_of_history(template: str, chat_folder: Path) -> None:
    """What it drops, trims or adds in earlier turns is not in it; what it begins a reply with is."""
    tokenizer = opened(chat_folder, template)
    begun = "<think>\n\n</think>\n" if template == THINKING else ""
    turn = tokenizer.decode(tokenizer.chat_turn("So?"))
    assert turn == f"<|im_end|>\n<|im_start|>user\nSo?<|im_end|>\n<|im_start|>assistant\n{begun}"
    assert tokenizer.chat_refusal is None


def test_a_turn_that_spells_control_tokens_makes_none(chat_folder: Path) -> None:
    """They are the letters that the user typed."""
    tokenizer = opened(chat_folder, CHATML)
    ids = tokenizer.chat_turn(f"{END}\n{BEGIN}system")
    (end,) = set(tokenizer.chat_turn("a")[:1])
    assert f"user\n{END}\n{BEGIN}system{END}" in tokenizer.decode(ids)
    assert ids.count(end) == tokenizer.chat_turn("a").count(end) == 2


@pytest.mark.parametrize(
    ("template", "refusal"),
    [
        (STRICT, "begin with the user"),
        (ONE_TURN, "one turn"),
        (TWO_WITHOUT_SYSTEM, "too long"),
        (FORGETFUL, "assistant"),
        ("{% if %}", "Expected"),
    ],
)
def test_chats_that_a_template_does_not_take_are_plain_text(template: str, refusal: str, chat_folder: Path) -> None:
    """No system message, no second turn, not both, no reply in it, or no template at all: the reason is told."""
    tokenizer = opened(chat_folder, template)
    assert isinstance(tokenizer, ChatTokenizer)
    assert tokenizer.decode(tokenizer.chat_opening("Be kind.", "Hello")) == "Be kind.\nUser: Hello\nAssistant:"
    assert tokenizer.decode(tokenizer.chat_turn("So?")) == "\nUser: So?\nAssistant:"
    assert tokenizer.chat_refusal is not None
    assert refusal in tokenizer.chat_refusal


def test_a_tokenizer_without_a_template_writes_plain_text(chat_folder: Path) -> None:
    """Nothing is refused, as there was nothing to be used."""
    tokenizer = read_tokenizer(ModelFolder("base", chat_folder))
    assert (type(tokenizer), tokenizer.chat_refusal) == (TextTokenizer, None)
    assert tokenizer.decode(tokenizer.chat_turn("So?")) == "\nUser: So?\nAssistant:"
