"""Writing a file whole or not at all."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path

from radixviz.errors import NoFolder, NotWritten, system_name


def check_folder(target: Path) -> None:
    """Raise NoFolder unless the folder of this file is there, NotWritten when the file's name is that of a folder."""
    if not target.parent.is_dir():
        raise NoFolder(str(target.parent))
    if target.is_dir():
        raise NotWritten(str(target), "EISDIR")


def write_whole(target: Path, content: bytes) -> None:
    """Write the file beside its place and move it there: nobody sees half of it, and a failure leaves what was there.

    Raises:
        NoFolder: the folder is not there.
        NotWritten: the system refuses.
    """
    check_folder(target)
    beside = target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}")
    try:
        with beside.open("xb") as file:
            file.write(content)
        beside.replace(target)
    except OSError as error:
        raise NotWritten(str(target), system_name(error)) from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
