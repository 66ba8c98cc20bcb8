"""Text that somebody else has written, in a place where Streamlit reads Markdown."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"[\\`*_\[\]$<~]|:(?=\w)|(?<=\d)\.(?= )|^[#>+-]")


def as_text(text: str) -> str:
    r"""Return Markdown that is shown as this text: no link, colour, formula or emphasis comes of it.

    >>> print(as_text("[a](b) *c* :red[d]"))
    \[a\](b) \*c\* \:red\[d\]
    """
    return _SIGNS.sub(lambda found: f"\\{found[0]}", text)
