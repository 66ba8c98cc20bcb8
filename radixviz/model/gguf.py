"""Reads GGUF, the file format of llama.cpp: its fields, and its tensors as float32.

Only the number formats that our models use: F32, F16, Q4_1 and Q8_0 (ggml's names). Layout: docs/gguf.md of ggml.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

MAGIC = b"GGUF"
VERSIONS = (2, 3)
STRING, ARRAY = 8, 9
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
F32, F16, Q4_1, Q8_0 = 0, 1, 3, 8
BLOCK = 32
BYTES_OF_BLOCK = {F32: 4 * BLOCK, F16: 2 * BLOCK, Q4_1: 2 + 2 + BLOCK // 2, Q8_0: 2 + BLOCK}
"""Bytes of 32 numbers. Q4_1 is a scale, a minimum and 4 bits each; Q8_0 is a scale and 8 bits each."""


class NotGGUF(ValueError):
    """The file is no GGUF, is cut off, or uses what this reader does not know."""


@dataclass(frozen=True, slots=True)
class _Stored:
    sizes: tuple[int, ...]
    kind: int
    offset: int


class GGUFFile:
    """An open file: `fields` by name, tensors when they are asked for. Raises NotGGUF."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            try:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                self._at = 0
                self.fields, self._tensors = self._read_head()
            except (struct.error, KeyError, ValueError) as error:  # mmap refuses an empty file with ValueError
                raise NotGGUF(f"{path.name}: {error}") from error

    @property
    def tensor_names(self) -> tuple[str, ...]:
        """The names of its tensors, in order."""
        return tuple(self._tensors)

    def tensor(self, name: str) -> torch.Tensor:
        """Return a tensor as float32, the slowest size first, as torch counts."""
        stored = self._tensors[name]
        count = math.prod(stored.sizes)
        if stored.kind not in BYTES_OF_BLOCK or (count % BLOCK and stored.kind != F32):
            raise NotGGUF(f"{name}: number format {stored.kind}")
        size = count * BYTES_OF_BLOCK[stored.kind] // BLOCK
        data = bytearray(self._bytes[stored.offset : stored.offset + size])
        if len(data) < size:
            raise NotGGUF(f"{name}: cut off")
        return _dequantize(torch.frombuffer(data, dtype=torch.uint8), stored.kind).view(stored.sizes)

    def close(self) -> None:
        """Let go of the file."""
        self._bytes.close()

    def _read_head(self) -> tuple[Mapping[str, Any], Mapping[str, _Stored]]:
        if self._take(4) != MAGIC:
            raise NotGGUF("does not begin with GGUF")
        version, tensors, fields = self._unpack("I"), self._unpack("Q"), self._unpack("Q")
        if version not in VERSIONS:
            raise NotGGUF(f"version {version}")
        values = {self._string(): self._value(self._unpack("I")) for _ in range(fields)}
        stored = {self._string(): self._stored() for _ in range(tensors)}
        alignment = int(values.get("general.alignment", 32))
        begin = -(-self._at // alignment) * alignment
        return values, {name: _Stored(one.sizes, one.kind, begin + one.offset) for name, one in stored.items()}

    def _stored(self) -> _Stored:
        sizes = [self._unpack("Q") for _ in range(self._unpack("I"))]
        return _Stored(tuple(reversed(sizes)), self._unpack("I"), self._unpack("Q"))

    def _value(self, kind: int) -> Any:
        if kind == STRING:
            return self._string()
        if kind == ARRAY:
            of = self._unpack("I")
            return [self._value(of) for _ in range(self._unpack("Q"))]
        return self._unpack(SCALARS[kind])

    def _string(self) -> str:
        return self._take(self._unpack("Q")).decode("utf-8")

    def _unpack(self, format: str) -> Any:
        return struct.unpack(f"<{format}", self._take(struct.calcsize(f"<{format}")))[0]

    def _take(self, count: int) -> bytes:
        taken = self._bytes[self._at : self._at + count]
        if len(taken) < count:
            raise NotGGUF("cut off")
        self._at += count
        return taken


def _dequantize(data: torch.Tensor, kind: int) -> torch.Tensor:
    """Return the numbers of these bytes, flat."""
    if kind == F32:
        return data.view(torch.float32)
    if kind == F16:
        return data.view(torch.float16).float()
    blocks = data.view(-1, BYTES_OF_BLOCK[kind])
    scale = _half(blocks[:, 0:2])
    if kind == Q8_0:
        return (scale * blocks[:, 2:].contiguous().view(torch.int8)).flatten()
    bits = blocks[:, 4:]
    numbers = torch.cat([bits & 0x0F, bits >> 4], dim=1)  # the low halves are the block's first 16 numbers
    return (scale * numbers + _half(blocks[:, 2:4])).flatten()


def _half(two_bytes: torch.Tensor) -> torch.Tensor:
    return two_bytes.contiguous().view(torch.float16).float()
