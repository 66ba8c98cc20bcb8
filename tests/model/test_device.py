"""Where a model runs."""

from __future__ import annotations

import pytest
import torch

from radixviz.errors import UnknownDevice
from radixviz.model.device import allocated_bytes, choose_device, free_bytes, known_devices, synchronize

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("cuda", "mps", "known", "chosen"),
    [
        (0, False, ("auto", "cpu"), "cpu"),
        (0, True, ("auto", "mps", "cpu"), "mps"),
        (2, False, ("auto", "cuda", "cuda:0", "cuda:1", "cpu"), "cuda"),
        (1, True, ("auto", "cuda", "cuda:0", "mps", "cpu"), "cuda"),
    ],
)
def test_the_first_there_is_is_taken(
    cuda: int, mps: bool, known: tuple[str, ...], chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CUDA before MPS before the CPU; each can be asked for by its name, and nothing else."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert known_devices() == known
    assert choose_device("auto") == torch.device(chosen)
    assert [choose_device(name) for name in known[1:]] == [torch.device(name) for name in known[1:]]
    with pytest.raises(UnknownDevice) as unknown:
        choose_device("cuda:7")
    assert (unknown.value.name, unknown.value.known) == ("cuda:7", known)


def test_the_memory_of_the_process_grows_with_what_it_holds() -> None:
    """64 MB that are written are seen; where the system tells nothing it is 0."""
    before = allocated_bytes(CPU)
    held = torch.ones(16_000_000)
    after = allocated_bytes(CPU)
    assert before == after == 0 or after - before > 0.9 * held.nbytes


def test_what_is_free_is_a_number_or_unknown() -> None:
    """More than nothing, where the system says."""
    free = free_bytes(CPU)
    assert free is None or free > 1_000_000
    synchronize(CPU)


def test_each_device_is_asked_in_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is allocated on a GPU is what torch says of that GPU, what is free what its driver says."""
    waited: list[str] = []
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: 100 + device.index)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (200 + device.index, 900))
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device: waited.append(str(device)))
    monkeypatch.setattr(torch.mps, "current_allocated_memory", lambda: 300)
    monkeypatch.setattr(torch.mps, "recommended_max_memory", lambda: 900)
    monkeypatch.setattr(torch.mps, "driver_allocated_memory", lambda: 400)
    monkeypatch.setattr(torch.mps, "synchronize", lambda: waited.append("mps"))
    cuda, mps = torch.device("cuda:1"), torch.device("mps")
    assert (allocated_bytes(cuda), free_bytes(cuda)) == (101, 201)
    assert (allocated_bytes(mps), free_bytes(mps)) == (300, 500)
    for device in (cuda, mps, CPU):
        synchronize(device)
    assert waited == ["cuda:1", "mps"]
