"""Models of the Hugging Face hub, by their id ("owner/name"): safetensors and settings, no code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from radixviz.errors import FetchFailed, ModelRefused, UnknownModel, system_name
from radixviz.model.folder import PICKLED, ModelFolder, locate

HUB_ID = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*", re.ASCII)
SETTINGS = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "chat_template.jinja")
WEIGHTS = ("*.safetensors", "*.safetensors.index.json")
UNWANTED = ("*/*", "consolidated*")
"""What lies in folders is for other programs, and so is a second copy of the weights that some repositories have."""
NOT_SHOWN = (401, 403, 404)
"""The hub's answers where there is no such model, or the asker may not know whether there is."""
NOT_REACHED = (
    *("ConnectError", "ConnectTimeout", "ProxyError"),
    *("UnsupportedProtocol", "InvalidURL", "OfflineModeIsEnabled"),
)
"""Errors of the library and of what speaks HTTP for it, by name as that may change: there was nobody to be asked."""


def is_hub_id(name: str) -> bool:
    """Tell whether the hub could have a model of this name."""
    return HUB_ID.fullmatch(name) is not None


def download(hub_id: str) -> ModelFolder:
    """Return the folder of a model of the hub, which the hub's own library downloads or has kept.

    The settings come first and are looked at: where they or the weights are not of the kind that we load, no weights
    are downloaded. Files that came whole stay when a download is cut off, and the next one brings the others; nothing
    half-written has the name of a file. The library shows its progress on stderr. Where the hub cannot be reached, what
    was downloaded before is used. The environment variable HF_ENDPOINT names another hub than huggingface.co.

    Raises:
        FetchFailed: reason "hub" (not reached, nothing kept), "hub_unknown", "hub_gated" (only for those who were
            granted access), "hub_error" (it answered with an error), "hub_answer" (with what cannot be read, as a page
            that is no hub does), "hub_cut_off" or "disk".
        ModelRefused: as `ModelFolder.check` does.
    """
    settings = _snapshot(hub_id, SETTINGS)
    settings.check_settings()
    whole = _snapshot(hub_id, (*SETTINGS, *WEIGHTS), revision=settings.path.name)
    if not whole.has_weights:
        _refuse_pickles(whole)
    return whole


def _snapshot(hub_id: str, wanted: tuple[str, ...], revision: str | None = None) -> ModelFolder:
    """Return the folder with what is wanted of a revision, which is also the folder's last name."""
    with _faults_told(hub_id):
        from huggingface_hub import snapshot_download

        folder = snapshot_download(
            hub_id, revision=revision, allow_patterns=list(wanted), ignore_patterns=list(UNWANTED)
        )
    return ModelFolder(hub_id, Path(folder))


def kept_folder(hub_id: str) -> ModelFolder | None:
    """Return the folder of a model that the hub's library has kept, None if it has none; the hub is not asked."""
    from huggingface_hub import snapshot_download

    try:
        return ModelFolder(hub_id, Path(snapshot_download(hub_id, local_files_only=True)))
    except (OSError, ValueError):
        return None


def local_folder(name_or_path: str) -> ModelFolder:
    """Return the folder of a model that is here, as `locate` does or as the hub's library has kept it.

    Raises UnknownModel, or ModelRefused for one that is not fetched yet.
    """
    try:
        return locate(name_or_path)
    except UnknownModel:
        kept = kept_folder(name_or_path) if is_hub_id(name_or_path) else None
        if kept is None:
            raise
        return kept


def _refuse_pickles(folder: ModelFolder) -> None:
    """Raise ModelRefused, reason "pickle", where the hub has weights of that kind, which are never downloaded."""
    with _faults_told(folder.name):
        from huggingface_hub import HfApi

        names = HfApi().list_repo_files(folder.name, revision=folder.path.name)
    pickled = sorted(name for name in names if name.endswith(PICKLED))
    if pickled:
        raise ModelRefused(folder.name, "pickle", ", ".join(pickled))


@contextmanager
def _faults_told(hub_id: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # the library raises errors of its own, of whatever speaks HTTP for it, and the system's
        raise FetchFailed(hub_id, *_reason(error)) from error


def _reason(error: Exception) -> tuple[str, str]:
    """Return the key of the reason, and its detail; the sentences of the libraries fill a page."""
    from huggingface_hub.errors import GatedRepoError, HFValidationError, LocalEntryNotFoundError

    chain = list(_chain(error))
    detail = type(chain[-1]).__name__
    status = next(filter(None, (getattr(getattr(each, "response", None), "status_code", 0) for each in chain)), 0)
    if any(isinstance(each, GatedRepoError) for each in chain):
        return "hub_gated", f"HTTP {status}"
    if status:
        return "hub_unknown" if status in NOT_SHOWN else "hub_error", f"HTTP {status}"
    if isinstance(error, HFValidationError):
        return "hub_unknown", detail
    if isinstance(error, LocalEntryNotFoundError) or type(error).__name__ in NOT_REACHED:
        return "hub", detail
    if isinstance(error, ValueError | LookupError | TypeError):
        return "hub_answer", type(error).__name__
    if isinstance(error, OSError) and error.errno is not None and not isinstance(error, ConnectionError | TimeoutError):
        return "disk", system_name(error)
    return "hub_cut_off", detail


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and what it came from, the first fault last."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__
