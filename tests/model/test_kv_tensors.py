"""The pool's memory."""

from __future__ import annotations

import pytest
import torch

from radixviz.errors import BadPageSize, BadPoolPages
from radixviz.model.kv_shape import KVShape
from radixviz.model.kv_tensors import KVTensors

SHAPE = KVShape(layers=2, kv_heads=3, head_dim=4)


def numbered(pages: int = 2, page_size: int = 2) -> KVTensors:
    """Return tensors in which layer l of slot s holds 100 l + s in K, and the negative in V."""
    tensors = KVTensors(SHAPE, pages, page_size)
    slots = torch.arange((pages + 1) * page_size)
    for layer in range(SHAPE.layers):
        keys = (slots + 100 * layer).float()[:, None, None].expand(-1, 3, 4)
        tensors.write(layer, slots, keys, -keys)
    return tensors


def test_the_pool_is_one_tensor_with_a_page_of_padding() -> None:
    """Page 0 comes on top of the pool's pages, and everything starts at zero."""
    data = KVTensors(SHAPE, num_pages=5, page_size=16).data
    assert data.shape == (2, 2, 6, 16, 3, 4)
    assert not data.any()


def test_sizes_in_bytes() -> None:
    """A token takes 2 layers x K and V x 3 heads x 4 numbers; the whole tensor 6 pages of 16 such tokens."""
    tensors = KVTensors(SHAPE, 5, 16)
    assert (tensors.kv_bytes_per_token, tensors.nbytes) == (2 * 2 * 3 * 4 * 4, 6 * 16 * 192)
    assert KVTensors(SHAPE, 5, 16, dtype=torch.bfloat16).kv_bytes_per_token == 96


def test_a_slot_is_page_times_page_size_plus_offset() -> None:
    """Slot 11 of pages of four is page 2, offset 3."""
    tensors = KVTensors(SHAPE, 3, 4)
    keys, values = torch.rand(1, 3, 4), torch.rand(1, 3, 4)
    tensors.write(1, torch.tensor([11]), keys, values)
    assert torch.equal(tensors.data[1, :, 2, 3], torch.cat([keys, values]))
    assert tensors.data.count_nonzero() == 24


def test_read_gathers_any_slots_in_any_shape() -> None:
    """Reading [rows, slots] returns K and V of [rows, slots, heads, numbers]."""
    keys, values = numbered().read(1, torch.tensor([[4, 2], [0, 4]]))
    assert keys.shape == (2, 2, 3, 4)
    assert keys[..., 0, 0].tolist() == [[104, 102], [100, 104]]
    assert torch.equal(values, -keys)


def test_slots_that_follow_one_another_are_read_where_they_lie() -> None:
    """A range is a window on the pool, anything else a copy; both hold the same numbers."""
    tensors = numbered(pages=3)
    neighbours, scattered = tensors.choose([(3, 4, 5)]), tensors.choose([(3, 5, 4)])
    assert neighbours == slice(3, 6)
    assert isinstance(scattered, torch.Tensor)
    seen, copied = tensors.read(1, neighbours)[0], tensors.read(1, scattered)[0]
    assert torch.equal(seen, copied[:, [0, 2, 1]])
    tensors.write(1, slice(4, 5), torch.zeros(1, 3, 4), torch.zeros(1, 3, 4))
    assert (float(seen[0, 1].sum()), float(copied[0, 2].sum())) == (0, 104 * 12)


def test_several_rows_are_an_index_even_where_each_is_a_range() -> None:
    """Rows of a batch lie apart."""
    tensors = numbered(pages=3)
    choice = tensors.choose([(1, 2), (4, 5)])
    assert isinstance(choice, torch.Tensor)
    assert tensors.read(0, choice)[0][..., 0, 0].tolist() == [[1, 2], [4, 5]]


def test_copy_moves_every_layer_at_once() -> None:
    """Overlapping slots are read before they are written."""
    tensors = numbered()
    tensors.copy([2, 3, 4], [3, 4, 5])
    assert tensors.read(0, torch.arange(6)[None])[0][0, :, 0, 0].tolist() == [0, 1, 2, 2, 3, 4]
    assert tensors.read(1, slice(0, 6))[1][0, :, 2, 3].tolist() == [-100, -101, -102, -102, -103, -104]


def test_copying_nothing_changes_nothing() -> None:
    """No slots are no work."""
    tensors = numbered()
    before = tensors.data.clone()
    tensors.copy([], [])
    assert torch.equal(tensors.data, before)


@pytest.mark.parametrize(("pages", "page_size", "fault"), [(0, 4, BadPoolPages), (4, 0, BadPageSize)])
def test_a_pool_needs_a_page_and_a_page_a_slot(pages: int, page_size: int, fault: type[Exception]) -> None:
    """Sizes below 1 are named."""
    with pytest.raises(fault):
        KVTensors(SHAPE, pages, page_size)


def test_more_than_there_is_is_refused_before_it_is_touched() -> None:
    """A pool of 3 petabytes says how many bytes it would take, and how many are free."""
    with pytest.raises(MemoryError) as refused:
        KVTensors(SHAPE, 10**12, 16)
    needed, free = refused.value.args
    assert needed == (10**12 + 1) * 192 * 16
    assert free is None or 0 < free < needed
