"""Models of the Hugging Face hub, by their id ("owner/name"): safetensors and settings, no code."""

from __future__ import annotations

import re
from pathlib import Path

from radixviz.errors import FetchFailed
from radixviz.model.folder import ModelFolder

HUB_ID = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*", re.ASCII)
WANTED = ("config.json", "generation_config.json", "tokenizer.json", "*.safetensors", "*.safetensors.index.json")
WANTED_OF_CHATS = ("tokenizer_config.json", "chat_template.jinja")


def is_hub_id(name: str) -> bool:
    """Tell whether the hub could have a model of this name."""
    return HUB_ID.fullmatch(name) is not None


def download(hub_id: str) -> ModelFolder:
    """Return the folder of a model of the hub, which the hub's own library downloads or has kept.

    A download that was cut off goes on where it stopped. The library shows its progress on stderr. Where the hub
    cannot be reached, what was downloaded before is used.

    Raises FetchFailed: reason "hub" (not reached, nothing kept), "hub_unknown" or "disk".
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        folder = snapshot_download(hub_id, allow_patterns=[*WANTED, *WANTED_OF_CHATS])
    except LocalEntryNotFoundError as error:
        raise FetchFailed(hub_id, "hub", _cause(error)) from error
    except HfHubHTTPError as error:
        status = getattr(error.response, "status_code", 0)
        is_missing = status in (401, 403, 404)
        raise FetchFailed(hub_id, "hub_unknown" if is_missing else "hub", f"HTTP {status}") from error
    except (OSError, ValueError) as error:
        kind = "disk" if getattr(error, "filename", None) else "hub"
        raise FetchFailed(hub_id, kind, _cause(error)) from error
    return ModelFolder(hub_id, Path(folder))


def kept_folder(hub_id: str) -> ModelFolder | None:
    """Return the folder of a model that the hub's library has kept, None if it has none; the hub is not asked."""
    from huggingface_hub import snapshot_download

    try:
        return ModelFolder(hub_id, Path(snapshot_download(hub_id, local_files_only=True)))
    except (OSError, ValueError):
        return None


def _cause(error: BaseException) -> str:
    """Return the name of what was wrong at first: the sentences of the libraries fill a page."""
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    return type(error).__name__
