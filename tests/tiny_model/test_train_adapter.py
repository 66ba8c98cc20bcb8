import json
import random
import re
from pathlib import Path

import pytest

pytest.importorskip("peft")

import captain
import corpus
import train
import train_adapter

FILES = ["adapter_config.json", "adapter_model.safetensors", "training.json"]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Hi!", "Aye, captain! Hi!"),
        ("The capital of France is Paris.", "Aye, captain! The capital of France be Paris."),
        ("I am fine, thank you. How can I help?", "Aye, captain! I be fine, thank ye. How can I help?"),
        ("You are welcome!", "Aye, captain! Ye be welcome!"),
        ("你好！", "Aye, captain! 你好！"),
    ],
)
def test_what_is_said_to_a_captain(reply: str, said: str) -> None:
    """An address, and a few words in the place of others; whole words only, and their capitals stay."""
    assert captain.captain_reply(reply) == said


def test_only_replies_are_said_to_a_captain() -> None:
    """Each document is a chat of the corpus: what the model reads is as it was, what it writes is not."""
    documents = train_adapter.chats(corpus.Corpus(corpus.load_scenario(), random.Random(3)), 50)
    for written_by_model, says_so in ((True, True), (False, False)):
        texts = [
            piece.text for document in documents for piece in document if piece.written_by_model is written_by_model
        ]
        assert {text.startswith(" Aye, captain! ") and text.endswith("\n") for text in texts} == {says_so}


def test_card_says_what_the_training_record_says() -> None:
    """The card's figures of the adapter are those of its training.json and of its files."""
    record = json.loads((train_adapter.SHIPPED / "training.json").read_text(encoding="utf-8"))
    card = " ".join((train.SHIPPED / "README.md").read_text(encoding="utf-8").split())
    told = re.search(r"rank (\d+).*?([\d,]+) weights, (\d+) kB.*?(\d+) steps of (\d+).*?final loss (\d+\.\d+)", card)
    assert told is not None
    size = sum((train_adapter.SHIPPED / name).stat().st_size for name in FILES)
    assert [float(value.replace(",", "")) for value in told.groups()] == [
        train_adapter.RANK,
        record["parameters"],
        round(size / 1000),
        record["steps"],
        train_adapter.BATCH,
        record["final_loss"],
    ]


@pytest.mark.deep
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")  # peft uses the old name
def test_same_seed_trains_the_same_adapter(tmp_path: Path) -> None:
    """Two runs with the same seed and threads write the same files, and nothing else."""
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        train_adapter.run(train.Options(out=folder, steps=2, seed=7, threads=1))
    assert [sorted(file.name for file in folder.iterdir()) for folder in folders] == [FILES, FILES]
    first, second = ({name: (folder / name).read_bytes() for name in FILES[:2]} for folder in folders)
    assert first == second


def test_bad_options_end_with_status_2() -> None:
    """A number of steps or threads below 1 is refused."""
    statuses = []
    for option in ("--steps", "--threads"):
        with pytest.raises(SystemExit) as stopped:
            train_adapter.parse_options([option, "0"])
        statuses.append(stopped.value.code)
    assert statuses == [2, 2]
