from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import corpus
import train
from tokenizers import Tokenizer

FILES = [
    "config.json",
    "generation_config.json",
    "model.safetensors",
    "tokenizer.json",
    "tokenizer_config.json",
    "training.json",
]


@pytest.mark.deep
def test_same_seed_trains_the_same_files(tmp_path: Path) -> None:
    """Two runs with the same seed and threads write the same weights and tokenizer, and nothing but the model files."""
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        train.run(train.Options(out=folder, steps=2, seed=7, threads=1))
    assert [sorted(file.name for file in folder.iterdir()) for folder in folders] == [FILES, FILES]
    first, second = (
        {name: (folder / name).read_bytes() for name in FILES if name != "training.json"} for folder in folders
    )
    assert first == second


def test_rest_of_a_document_weighs_less_than_its_replies() -> None:
    """Only what the model is to write counts fully in the loss, and a sampled opening is trained towards its shares."""
    tokenizer = Tokenizer.from_file(str(train.SHIPPED / "tokenizer.json"))
    openings = ((" This is", 0.75), (" Let us", 0.25))
    pieces = [corpus.Piece("User:"), corpus.reply_piece("This", openings)]
    example = train.encode(tokenizer, pieces)
    assert [tokenizer.id_to_token(token) for token in example.ids] == ["User", ":", "ĠThis", "Ċ", "<|endoftext|>"]
    assert example.weights == [0.1, 0.1, 1.0, 1.0, 1.0]
    named = {tokenizer.id_to_token(token): share for token, share in example.shares[2].items()}
    assert (list(example.shares), named) == ([2], {"ĠThis": 0.75, "ĠLet": 0.25})


def test_bad_options_end_with_status_2() -> None:
    """A number of steps or threads below 1 is refused."""
    statuses = []
    for option in ("--steps", "--threads"):
        with pytest.raises(SystemExit) as stopped:
            train.parse_options([option, "0"])
        statuses.append(stopped.value.code)
    assert statuses == [2, 2]
