"""Where a model runs: the devices that torch has here, how to wait for one, and how much memory is taken."""

from __future__ import annotations

import platform
from pathlib import Path

import torch

from radixviz.errors import UnknownDevice

AUTO = "auto"


def known_devices() -> tuple[str, ...]:
    """Return the names that can be asked for here, the one that "auto" takes first among the devices."""
    cuda = [f"cuda:{index}" for index in range(torch.cuda.device_count())] if torch.cuda.is_available() else []
    mps = ["mps"] if torch.backends.mps.is_available() else []
    return (AUTO, *(["cuda"] if cuda else []), *cuda, *mps, "cpu")


def choose_device(name: str) -> torch.device:
    """Return the device of this name; "auto" is the first there is of CUDA, MPS and CPU.

    Raises UnknownDevice.
    """
    known = known_devices()
    if name not in known:
        raise UnknownDevice(name, known)
    return torch.device(known[1] if name == AUTO else name)


def synchronize(device: torch.device) -> None:
    """Wait until the device has done what it was given: only then may a clock be read."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type == "mps":
        torch.mps.synchronize()


def allocated_bytes(device: torch.device) -> int:
    """Return the bytes that torch has allocated on the device; on the CPU, what the process has in memory (RSS).

    Where the system does not tell its RSS of now, the most it ever was; 0 on Windows, which tells neither.
    """
    if device.type == "cuda":
        return torch.cuda.memory_allocated(device)
    if device.type == "mps":
        return torch.mps.current_allocated_memory()
    return _resident_bytes()


def _resident_bytes() -> int:
    try:
        import resource
    except ImportError:  # Windows
        return 0
    statm = Path("/proc/self/statm")
    if statm.is_file():
        return int(statm.read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if platform.system() == "Darwin" else most * 1024


def free_bytes(device: torch.device) -> int | None:
    """Return the bytes that the device can still give, None where the system does not say."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if device.type == "mps":
        return torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory()
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            fields = dict(line.split(":", 1) for line in lines)
        return int(fields["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None
