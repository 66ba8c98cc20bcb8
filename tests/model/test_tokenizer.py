"""Text to token ids and back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from radixviz.errors import ModelRefused, UnknownModel
from radixviz.model.folder import ModelFolder, locate
from radixviz.model.tokenizer import TextTokenizer
from tests.model.conftest import STOP

TEXTS = [
    "Hello, what can you do?",
    "  two  spaces\n\nand\ttabs ",
    "基数树共享前缀,不重复计算。",
    "😀😁👩‍👩‍👧 naïve café",
    STOP,
    f"a{STOP}b {STOP}\n",
    "",
]


@pytest.fixture(scope="module")
def text_tokenizer(byte_level: Tokenizer) -> TextTokenizer:
    """Return the byte-level BPE as the engine knows it."""
    return TextTokenizer(Tokenizer.from_str(byte_level.to_str()), (0,))


@pytest.fixture(scope="module")
def sentencepiece_like() -> TextTokenizer:
    """Return a BPE whose spaces are written as ▁ and whose unknown characters fall back to bytes."""
    pieces = ["<unk>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "\u2581", "h", "i", "\u2581h", "\u2581hi"]
    merges = [("\u2581", "h"), ("\u2581h", "i")]
    vocabulary = {piece: token_id for token_id, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_special_tokens([AddedToken("</s>", special=True)])
    return TextTokenizer(tokenizer, (1,))


@pytest.mark.parametrize("text", TEXTS)
def test_text_comes_back_as_it_went_in(text: str, text_tokenizer: TextTokenizer) -> None:
    """Decoding, and joining the tokens' bytes, give the text again."""
    token_ids = text_tokenizer.encode(text)
    assert text_tokenizer.decode(token_ids) == text
    assert b"".join(map(text_tokenizer.token_bytes, token_ids)).decode() == text


@given(text=st.text(max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_text_survives(text: str, text_tokenizer: TextTokenizer) -> None:
    """No character is lost, and none becomes the control token."""
    token_ids = text_tokenizer.encode(text)
    assert 0 not in token_ids
    assert b"".join(map(text_tokenizer.token_bytes, token_ids)).decode() == text_tokenizer.decode(token_ids) == text


def test_text_that_spells_a_control_token_stays_text(text_tokenizer: TextTokenizer, byte_level: Tokenizer) -> None:
    """A user who types the stop token's name gets its letters; the library alone would give the control id."""
    assert byte_level.encode(STOP).ids == [0]
    token_ids = text_tokenizer.encode(STOP)
    assert 0 not in token_ids
    assert len(token_ids) > 1


def test_nothing_is_added_cut_or_padded(byte_level: Tokenizer) -> None:
    """A tokenizer file that adds a token in front, truncates and pads does none of that here."""
    tokenizer = Tokenizer.from_str(byte_level.to_str())
    tokenizer.post_processor = processors.TemplateProcessing(f"{STOP} $A", special_tokens=[(STOP, 0)])
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=50)
    assert TextTokenizer(tokenizer).encode(TEXTS[0]) == tuple(byte_level.encode(TEXTS[0]).ids)


def test_a_part_of_a_character_is_shown_as_such(text_tokenizer: TextTokenizer) -> None:
    """Two faces share three bytes; the bytes are kept, the text of a part is the replacement character."""
    one, two = text_tokenizer.encode("😀"), text_tokenizer.encode("😁")
    assert one[:3] == two[:3]
    assert [text_tokenizer.token_bytes(token_id) for token_id in one] == [b"\xf0", b"\x9f", b"\x98", b"\x80"]
    assert text_tokenizer.decode(one[:3]) == "\ufffd"
    assert text_tokenizer.decode([*one[:3], two[3]]) == "😁"


def test_every_byte_has_its_token(text_tokenizer: TextTokenizer) -> None:
    """GPT-2's alphabet is mapped back to all 256 bytes."""
    single = {text_tokenizer.token_bytes(token_id) for token_id in range(text_tokenizer.vocabulary_size)}
    assert {bytes([byte]) for byte in range(256)} <= single


def test_a_control_token_is_spelled_out_in_a_text(text_tokenizer: TextTokenizer) -> None:
    """What the model wrote is shown: the stop token too."""
    token_ids = [*text_tokenizer.encode("Hello"), 0]
    assert text_tokenizer.decode(token_ids) == f"Hello{STOP}"
    assert text_tokenizer.token_bytes(0) == STOP.encode()


def test_an_id_that_the_tokenizer_does_not_have_is_nothing(text_tokenizer: TextTokenizer) -> None:
    """A model may have more rows than its tokenizer has tokens."""
    unknown = text_tokenizer.vocabulary_size
    assert (text_tokenizer.token_bytes(unknown), text_tokenizer.decode([unknown])) == (b"", "")
    assert text_tokenizer.token_bytes(unknown - 1) != b""


def test_vocabulary_reaches_to_the_highest_added_token(byte_level: Tokenizer) -> None:
    """Tokens that were added behind the others count."""
    tokenizer = Tokenizer.from_str(byte_level.to_str())
    before = TextTokenizer(tokenizer).vocabulary_size
    tokenizer.add_special_tokens(["<|user｜>"])
    after = TextTokenizer(tokenizer)
    assert (after.vocabulary_size, after.token_bytes(before)) == (before + 1, "<|user｜>".encode())


def test_bytes_of_sentencepiece_tokens(sentencepiece_like: TextTokenizer) -> None:
    """▁ is a space and <0xNN> a byte."""
    token_ids = sentencepiece_like.encode("hi hi é")
    assert [sentencepiece_like.token_bytes(token_id) for token_id in token_ids] == [
        b"h",
        b"i",
        b" hi",
        b" ",
        b"\xc3",
        b"\xa9",
    ]
    assert sentencepiece_like.decode(token_ids) == "hi hi é"


def test_sentencepiece_text_that_spells_a_control_token_stays_text(sentencepiece_like: TextTokenizer) -> None:
    """</s> from a user is four characters."""
    token_ids = sentencepiece_like.encode("</s>")
    assert 1 not in token_ids
    assert b"".join(map(sentencepiece_like.token_bytes, token_ids)) == b"</s>"


def test_a_plain_tokenizer_means_what_it_says() -> None:
    """Without a decoder a token is its own text, <0x41> and ▁ too."""
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "<0x41>": 1, "\u2581": 2}, unk_token="a"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    plain = TextTokenizer(tokenizer)
    assert [plain.token_bytes(token_id) for token_id in range(3)] == [b"a", b"<0x41>", "\u2581".encode()]


@pytest.mark.parametrize(
    ("files", "stop_token_ids"),
    [
        ({"generation_config.json": {"eos_token_id": [0, 5]}, "config.json": {"eos_token_id": 7}}, (0, 5)),
        ({"generation_config.json": {"eos_token_id": 3}}, (3,)),
        ({"generation_config.json": {}, "config.json": {"eos_token_id": 7}}, (7,)),
        ({"generation_config.json": {"eos_token_id": None}, "config.json": {"text_config": {"eos_token_id": 9}}}, (9,)),
        ({"config.json": {}}, ()),
    ],
)
def test_stop_tokens_come_from_the_files(
    files: dict[str, object], stop_token_ids: tuple[int, ...], byte_level: Tokenizer, tmp_path: Path
) -> None:
    """generation_config.json decides, else config.json; one id or a list."""
    byte_level.save(str(tmp_path / "tokenizer.json"))
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    assert TextTokenizer.from_folder(ModelFolder("m", tmp_path)).stop_token_ids == stop_token_ids


def test_a_folder_without_a_readable_tokenizer_is_refused(tmp_path: Path) -> None:
    """A missing and a broken tokenizer.json have the same reason, and the detail says which."""
    details = []
    for _ in range(2):
        with pytest.raises(ModelRefused) as refused:
            TextTokenizer.from_folder(ModelFolder("m", tmp_path))
        assert (refused.value.model, refused.value.reason) == ("m", "no_tokenizer")
        details.append(refused.value.detail)
        (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    assert "No such file" in details[0]
    assert "No such file" not in details[1]


def test_the_tokenizer_alone_is_found_by_name(model_folder: Path) -> None:
    """A folder's tokenizer comes without its model; an unknown name is named."""
    assert TextTokenizer.from_folder(locate(str(model_folder))).stop_token_ids == (0, 5)
    with pytest.raises(UnknownModel):
        locate("no-such-model")


def test_tokens_come_without_torch() -> None:
    """Importing tokenizer and loader brings neither torch nor transformers, and sets OpenMP to sleep."""
    program = (
        "import os, sys\n"
        "from radixviz.model import loader, tokenizer\n"
        "heavy = {'torch', 'transformers', 'safetensors', 'numpy'} & set(sys.modules)\n"
        "print(sorted(heavy), os.environ['OMP_WAIT_POLICY'])"
    )
    root = Path(__file__).resolve().parents[2]
    result = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert result.stdout == "[] PASSIVE\n"
