"""The folder where radixviz keeps what it can make or fetch again: models, and the last results."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

FOLDER_VARIABLE = "RADIXVIZ_CACHE"
"""The environment variable that names another folder than the user's cache folder."""


def cache_folder() -> Path:
    """Return the folder, which need not be there yet."""
    asked = os.environ.get(FOLDER_VARIABLE)
    return Path(asked) if asked else platformdirs.user_cache_path("radixviz")
