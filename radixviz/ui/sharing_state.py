"""What one reader has chosen on the page about sharing; it stays while the reader is on another page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

from radixviz.ui.state import keep_value, kept_value, widget_value

STATE = "radixviz.sharing"
LAYER, HEAD, QUESTION, SHARE = (f"{STATE}.{name}" for name in ("layer", "head", "question", "share"))


@dataclass(frozen=True, slots=True)
class SharingState:
    """The layer and the head that are shown, from 1; the question that is asked; whether K and V are shared wrongly."""

    layer: int = 1
    head: int = 1
    question: int = 0
    share_wrongly: bool = False


def get_sharing() -> SharingState:
    """Return what this session has chosen."""
    kept = kept_value(STATE)
    return kept if isinstance(kept, SharingState) else SharingState()


def choose_layer() -> None:
    """Show the layer that was chosen."""
    _keep(replace(get_sharing(), layer=cast("int", widget_value(LAYER))))


def choose_head() -> None:
    """Show the head that was chosen."""
    _keep(replace(get_sharing(), head=cast("int", widget_value(HEAD))))


def choose_question() -> None:
    """Ask the question that was chosen."""
    _keep(replace(get_sharing(), question=cast("int", widget_value(QUESTION))))


def choose_sharing() -> None:
    """Share as the switch says."""
    _keep(replace(get_sharing(), share_wrongly=bool(widget_value(SHARE))))


def _keep(state: SharingState) -> None:
    keep_value(STATE, state)
