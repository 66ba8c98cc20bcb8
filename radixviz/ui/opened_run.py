"""A run that a reader has opened from a file: it is shown in the place of the live tour until the reader goes back."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol, cast

from radixviz.errors import BadTimeline
from radixviz.render.export.timeline_json import read_timeline
from radixviz.ui.state import Opened, get_opened, set_opened, widget_value


class Upload(Protocol):
    """A file as Streamlit's uploader gives it."""

    name: str

    def getvalue(self) -> bytes:
        """Return its content."""


def open_upload(key: str) -> None:
    """Open what the uploader of this key holds; nothing when the reader took the file out."""
    upload = cast("Upload | None", widget_value(key))
    if upload is not None:
        set_opened(opened_with(get_opened(), upload.getvalue(), upload.name))


def opened_with(opened: Opened, data: bytes, name: str) -> Opened:
    """Return what is shown once this file is opened: its run, or what was shown before and why it stays."""
    try:
        timeline = read_timeline(data, name)
    except BadTimeline as fault:
        return replace(opened, fault=fault)
    return replace(opened, timeline=timeline, name=name, fault=None)


def back_to_tour() -> None:
    """Show the live tour again; the uploader begins anew."""
    set_opened(Opened(uploads=get_opened().uploads + 1))
