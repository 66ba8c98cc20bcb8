"""The tiny model's tokenizer as if it had been trained on ChatML: with control tokens and a chat template."""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import Tokenizer

from radixviz.model.chat_tokenizer import read_tokenizer
from radixviz.model.folder import TINY, ModelFolder, locate
from radixviz.model.tokenizer import TextTokenizer
from tests.model.chat_templates import CHATML

CONTROL = ["<|im_start|>", "<|im_end|>"]


def templated(folder: Path) -> TextTokenizer:
    """Return the tokenizer, written into this folder; replies end with what closes a turn."""
    tokenizer = Tokenizer.from_file(str(locate(TINY).path / "tokenizer.json"))
    tokenizer.add_special_tokens(CONTROL)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"eos_token_id": tokenizer.token_to_id(CONTROL[1])}
    (folder / "generation_config.json").write_text(json.dumps(settings), encoding="utf-8")
    (folder / "config.json").write_text("{}", encoding="utf-8")
    (folder / "chat_template.jinja").write_text(CHATML, encoding="utf-8")
    return read_tokenizer(ModelFolder("chat", folder))
