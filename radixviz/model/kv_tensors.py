"""The pool's memory: K and V of every slot, in one tensor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch

from radixviz.errors import BadPageSize, BadPoolPages
from radixviz.model.device import free_bytes
from radixviz.model.kv_shape import KVShape

SlotChoice = slice | torch.Tensor
"""Slots that follow one another, as a range, or any others as an index [rows, slots] on the tensor's device."""


class KVTensors:
    """K and V by slot.

        data   [layers, 2, num_pages + 1, page_size, kv_heads, head_dim]     2: K, then V
        slot   page * page_size + offset in the page; pages 1 to num_pages are the pool's

    Page 0 is padding: shorter rows of a batch point at its slot 0, whose values a mask hides. It stays zero, because
    even a hidden NaN would spread (0 x NaN = NaN).
    """

    def __init__(
        self,
        shape: KVShape,
        num_pages: int,
        page_size: int,
        *,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> None:
        """Allocate the tensor, all zero.

        Raises:
            BadPageSize: page_size is below 1.
            BadPoolPages: num_pages is below 1.
            MemoryError: the device has no room for it; nothing stays allocated. Its arguments are the bytes that are
                needed and those that are free, None where the system does not say.
        """
        if page_size < 1:
            raise BadPageSize(page_size)
        if num_pages < 1:
            raise BadPoolPages(num_pages)
        self.shape = shape
        self.num_pages = num_pages
        self.page_size = page_size
        sizes = (shape.layers, 2, num_pages + 1, page_size, shape.kv_heads, shape.head_dim)
        self.data = _allocate(sizes, dtype, torch.device(device))
        self._flat = self.data.view(shape.layers, 2, (num_pages + 1) * page_size, shape.kv_heads, shape.head_dim)

    @property
    def nbytes(self) -> int:
        """Bytes of the whole tensor, the padding page included."""
        return self.data.nbytes

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes of one token's K and V in all layers."""
        return self.shape.elements_per_token * self.data.element_size()

    def choose(self, rows: Sequence[Sequence[int]]) -> SlotChoice:
        """Return the slots of these rows, all of one length, as `read` and `write` take them.

        Slots of one row that follow one another are a range: they are read where they lie, without a copy.
        """
        if len(rows) == 1 and _is_range(rows[0]):
            return slice(rows[0][0], rows[0][0] + len(rows[0]))
        return torch.tensor([list(row) for row in rows], dtype=torch.long, device=self.data.device)

    def write(self, layer: int, slots: SlotChoice, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Store K and V [n, kv_heads, head_dim] of one layer in these n slots."""
        for place, new in enumerate((keys, values)):
            stored = self._flat[layer, place]
            if isinstance(slots, slice):
                stored[slots] = new.to(stored.dtype)
            else:
                stored.index_copy_(0, slots.reshape(-1), new.to(stored.dtype))

    def read(self, layer: int, slots: SlotChoice) -> tuple[torch.Tensor, torch.Tensor]:
        """Return K and V of one layer, each [rows, slots, kv_heads, head_dim].

        A range of slots is shown where it lies, to be read only until these slots are written; others are copied.
        """
        if isinstance(slots, slice):
            keys, values = self._flat[layer, :, None, slots]
            return keys, values
        chosen = self._flat[layer].index_select(1, slots.reshape(-1))
        keys, values = chosen.view(2, *slots.shape, *chosen.shape[2:])
        return keys, values

    def copy(self, source: Sequence[int], target: Sequence[int]) -> None:
        """Copy K and V of all layers from the source slots to the target slots, which may overlap."""
        index = partial(torch.tensor, dtype=torch.long, device=self.data.device)
        chosen = self._flat.index_select(2, index(source))
        self._flat.index_copy_(2, index(target), chosen)


def _is_range(slots: Sequence[int]) -> bool:
    return len(slots) > 0 and tuple(slots) == tuple(range(slots[0], slots[0] + len(slots)))


def _allocate(sizes: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return the tensor, all zero; a MemoryError has the bytes needed and those free, None where nobody says.

    Linux promises more than it has and kills the process once the pages are touched, so the CPU is asked before.
    """
    needed = torch.empty(0, dtype=dtype).element_size()
    for size in sizes:
        needed *= size
    free = free_bytes(device)
    if device.type == "cpu" and free is not None and needed > free:
        raise MemoryError(needed, free)
    try:
        return torch.zeros(sizes, dtype=dtype, device=device)
    except RuntimeError as error:  # torch.OutOfMemoryError on CUDA is one of these, and so is the CPU's
        raise MemoryError(needed, free) from error
