"""Text to token ids and back. Imports neither torch nor transformers: the page shows tokens while the model loads."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from tokenizers import Tokenizer

from radixviz.engine.tokenizer import plain_opening, plain_turn
from radixviz.errors import ModelRefused
from radixviz.model.folder import ModelFolder

BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")
WORD_BEGIN = "\u2581"
"""How sentencepiece writes a space."""
SENTENCE = "What can you do?"
"""What every tokenizer must have tokens for, if only such as stand for what it does not know."""


def _byte_alphabet() -> dict[str, int]:
    """Return GPT-2's alphabet: printable Latin-1 stands for itself, the other 68 bytes for the characters from 256."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}


class TextTokenizer:
    """A tokenizer of the `tokenizers` library as the engine's `Tokenizer`.

    Text never turns into a control token: a user who types "<|endoftext|>" gets the ordinary tokens of these letters.
    """

    def __init__(self, tokenizer: Tokenizer, stop_token_ids: Sequence[int] = ()) -> None:
        self._tokenizer = tokenizer
        self._tokenizer.encode_special_tokens = True  # means: encode them as text
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._stop_token_ids = tuple(stop_token_ids)
        self._added = {id: token.content for id, token in tokenizer.get_added_tokens_decoder().items()}
        decoders = _decoder_types(tokenizer)
        self._byte_of = _byte_alphabet() if "ByteLevel" in decoders else {}
        self._is_sentencepiece = not decoders.isdisjoint({"Metaspace", "ByteFallback"})

    @classmethod
    def from_folder(cls, folder: ModelFolder) -> TextTokenizer:
        """Read tokenizer.json, and the stop tokens from generation_config.json or else config.json.

        Raises ModelRefused: as `read_rules` and `read_stop_token_ids` do.
        """
        return cls(read_rules(folder), read_stop_token_ids(folder))

    @property
    def vocabulary_size(self) -> int:
        """As the protocol says."""
        plain: int = self._tokenizer.get_vocab_size(with_added_tokens=False)
        return max([plain, *(token_id + 1 for token_id in self._added)])

    @property
    def stop_token_ids(self) -> tuple[int, ...]:
        """As the protocol says."""
        return self._stop_token_ids

    def encode(self, text: str) -> tuple[int, ...]:
        """As the protocol says."""
        return tuple(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def decode(self, token_ids: Sequence[int]) -> str:
        """As the protocol says; special tokens come out as they are spelled, unknown ids as nothing."""
        return str(self._tokenizer.decode(list(token_ids), skip_special_tokens=False))

    def token_bytes(self, token_id: int) -> bytes:
        """As the protocol says; an id that the tokenizer does not have stands for no bytes."""
        if token_id in self._added:
            return self._added[token_id].encode()
        token = self._tokenizer.id_to_token(token_id)
        return b"" if token is None else self._bytes_of(token)

    @property
    def chat_refusal(self) -> str | None:
        """Why chats are plain text though the model has a chat template, in the template's words; else None."""
        return None

    def chat_opening(self, system: str, user: str) -> tuple[int, ...]:
        """As the protocol says: plain text."""
        return self.encode(plain_opening(system, user))

    def chat_turn(self, user: str) -> tuple[int, ...]:
        """As the protocol says: plain text."""
        return self.encode(plain_turn(user))

    def _bytes_of(self, token: str) -> bytes:
        if self._byte_of:
            known = all(character in self._byte_of for character in token)
            return bytes(self._byte_of[character] for character in token) if known else token.encode()
        byte = BYTE_TOKEN.fullmatch(token) if self._is_sentencepiece else None
        if byte:
            return bytes([int(byte[1], 16)])
        return (token.replace(WORD_BEGIN, " ") if self._is_sentencepiece else token).encode()


def read_rules(folder: ModelFolder) -> Tokenizer:
    """Return a new tokenizer of the library, as tokenizer.json has it; what `TextTokenizer` takes over.

    Raises ModelRefused: reason "no_tokenizer", if there is no tokenizer.json that can be read; "no_tokens", if what it
    says does not turn a sentence into tokens.
    """
    try:
        rules = Tokenizer.from_file(str(folder.path / "tokenizer.json"))
    except Exception as error:  # the library raises bare Exception, for a missing file too
        raise ModelRefused(folder.name, "no_tokenizer", str(error)) from error
    try:
        token_ids = rules.encode(SENTENCE, add_special_tokens=False).ids
    except Exception as error:  # bare as well, for a word that it has no token for
        raise ModelRefused(folder.name, "no_tokens", str(error)) from error
    if not token_ids:
        raise ModelRefused(folder.name, "no_tokens", SENTENCE)
    return rules


def _decoder_types(tokenizer: Tokenizer) -> set[str]:
    """Return the types of the decoder's parts. The library shows them in its description only."""
    if tokenizer.decoder is None:
        return set()
    description = json.loads(tokenizer.decoder.__getstate__())
    return {part["type"] for part in [description, *description.get("decoders", [])]}


def read_stop_token_ids(folder: ModelFolder) -> tuple[int, ...]:
    """Return the tokens that end a reply: those of generation_config.json, else of config.json.

    Raises ModelRefused: reason "bad_config", if one of them cannot be read.
    """
    config = folder.read_json("config.json")
    texts = config.get("text_config")
    sources = [folder.read_json("generation_config.json"), config, texts if isinstance(texts, dict) else {}]
    given = (source["eos_token_id"] for source in sources if source.get("eos_token_id") is not None)
    found: object = next(given, [])
    token_ids = found if isinstance(found, list) else [found]
    if not all(isinstance(token_id, int) for token_id in token_ids):
        raise ModelRefused(folder.name, "bad_config", f"eos_token_id: {found}")
    return tuple(map(int, token_ids))
