"""Reading GGUF."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
import torch

from radixviz.model.gguf import GGUFFile, NotGGUF


def text(value: str) -> bytes:
    """Return a string as GGUF writes it."""
    return struct.pack("<Q", len(value.encode())) + value.encode()


def field(name: str, kind: int, value: bytes) -> bytes:
    """Return one field."""
    return text(name) + struct.pack("<I", kind) + value


def gguf(fields: list[bytes], tensors: list[tuple[str, tuple[int, ...], int, bytes]], version: int = 3) -> bytes:
    """Return a file with these fields and tensors: name, sizes (the fastest first), number format, bytes."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(fields)) + b"".join(fields)
    data = b""
    for name, sizes, kind, content in tensors:
        head += text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, len(data))
        data += content + bytes(-len(content) % 32)
    return head + bytes(-len(head) % 32) + data


@pytest.fixture
def open_file(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Return a function that writes these bytes and opens them."""

    def open_bytes(content: bytes) -> GGUFFile:
        path = tmp_path / "some.gguf"
        path.write_bytes(content)
        return GGUFFile(path)

    return open_bytes


def test_fields_are_read_by_their_types(open_file) -> None:  # type: ignore[no-untyped-def]
    """Numbers, truth, text in any language, lists."""
    words = struct.pack("<IQ", 8, 2) + text("a") + text("基数树")
    found = open_file(
        gguf(
            [
                field("heads", 4, struct.pack("<I", 9)),
                field("eps", 6, struct.pack("<f", 0.5)),
                field("bos", 7, b"\x01"),
                field("tokens", 9, words),
            ],
            [],
        )
    )
    assert found.fields == {"heads": 9, "eps": 0.5, "bos": True, "tokens": ["a", "基数树"]}
    assert found.tensor_names == ()


def test_every_number_format_becomes_float32(open_file) -> None:  # type: ignore[no-untyped-def]
    """Scales, minima, 4 and 8 bits; sizes are given the fastest first, and torch counts the slowest first."""
    q4_1 = struct.pack("<ee", 0.5, -1.0) + bytes(n | (15 - n) << 4 for n in range(16))
    q8_0 = struct.pack("<e32b", 0.25, *range(-16, 16))
    found = open_file(
        gguf(
            [],
            [
                ("plain", (2, 3), 0, struct.pack("<6f", *range(6))),
                ("half", (32,), 1, struct.pack("<32e", *range(32))),
                ("four", (16, 2), 3, q4_1),
                ("eight", (32, 1), 8, q8_0),
            ],
        )
    )
    assert found.tensor("plain").tolist() == [[0, 1], [2, 3], [4, 5]]
    assert found.tensor("half").tolist() == list(range(32))
    assert found.tensor("four").tolist() == [
        [n * 0.5 - 1 for n in range(16)],
        [(15 - n) * 0.5 - 1 for n in range(16)],
    ]
    assert found.tensor("eight").tolist() == [[n / 4 for n in range(-16, 16)]]
    assert found.tensor("eight").dtype == torch.float32


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"PK\x03\x04", "does not begin"),
        (gguf([], [], version=1), "version 1"),
        (gguf([field("n", 4, b"")], [])[:33], "cut off"),
        (gguf([field("n", 99, b"")], []), "99"),
    ],
)
def test_what_is_no_gguf_is_refused(content: bytes, said: str, open_file) -> None:  # type: ignore[no-untyped-def]
    """Empty, another file, too old, cut off, or of a type that nobody knows."""
    with pytest.raises(NotGGUF, match=said):
        open_file(content)


@pytest.mark.parametrize(("kind", "content", "said"), [(12, bytes(100), "number format 12"), (0, bytes(8), "cut off")])
def test_a_tensor_that_cannot_be_read_is_refused(kind: int, content: bytes, said: str, open_file) -> None:  # type: ignore[no-untyped-def]
    """A number format that we do not have, or fewer bytes than it needs."""
    found = open_file(gguf([], [("some", (64,), kind, content)]))
    with pytest.raises(NotGGUF, match=said):
        found.tensor("some")
