"""The pool's memory: K and V of every slot, in one tensor."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from radixviz.errors import BadPageSize, BadPoolPages
from radixviz.model.kv_shape import KVShape


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
            MemoryError: the device has no room for it; nothing stays allocated.
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

    def slot_tensor(self, slots: Sequence[int]) -> torch.Tensor:
        """Return these slots as an index on the tensor's device."""
        return torch.tensor(slots, dtype=torch.long, device=self.data.device)

    def write(self, layer: int, slots: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Store K and V of one layer: slots [n], keys and values [n, kv_heads, head_dim]."""
        keys_of_layer, values_of_layer = self._flat[layer]
        keys_of_layer.index_copy_(0, slots, keys.to(self.data.dtype))
        values_of_layer.index_copy_(0, slots, values.to(self.data.dtype))

    def read(self, layer: int, slots: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return copies of K and V of one layer: slots [...] to twice [..., kv_heads, head_dim]."""
        chosen = self._flat[layer].index_select(1, slots.reshape(-1))
        keys, values = chosen.view(2, *slots.shape, *chosen.shape[2:])
        return keys, values

    def copy(self, source: Sequence[int], target: Sequence[int]) -> None:
        """Copy K and V of all layers from the source slots to the target slots, which may overlap."""
        chosen = self._flat.index_select(2, self.slot_tensor(source))
        self._flat.index_copy_(2, self.slot_tensor(target), chosen)


def _allocate(sizes: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    needed = torch.empty(0, dtype=dtype).element_size()
    for size in sizes:
        needed *= size
    if device.type == "cpu" and needed > _available_bytes():
        raise MemoryError(needed)
    try:
        return torch.zeros(sizes, dtype=dtype, device=device)
    except RuntimeError as error:  # torch.OutOfMemoryError on CUDA is one of these, and so is the CPU's
        raise MemoryError(needed) from error


def _available_bytes() -> float:
    """Return what the system can still give.

    Linux promises more than it has and kills the process once the pages are touched, so asking is not enough there.
    """
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            fields = dict(line.split(":", 1) for line in lines)
        return int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return float("inf")
