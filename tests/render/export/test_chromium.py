from __future__ import annotations

import sys
from pathlib import Path

import pytest

from radixviz.errors import NoChromium, PdfRefused
from radixviz.render.export import chromium


def test_the_program_that_is_named_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """RADIXVIZ_CHROMIUM comes before all that is installed."""
    monkeypatch.setenv(chromium.VARIABLE, "/opt/own/chrome")
    assert chromium.require_chromium() == Path("/opt/own/chrome")


def test_a_machine_without_one_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With an empty PATH, no bundle and an empty home there is none; Playwright's own in the home is found."""
    monkeypatch.delenv(chromium.VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(chromium, "BUNDLES", ())
    monkeypatch.setattr(chromium, "PROGRAM_FOLDERS", ())
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    with pytest.raises(NoChromium):
        chromium.require_chromium()
    own = tmp_path / ".cache/ms-playwright/chromium-1200/chrome-linux/chrome"
    own.parent.mkdir(parents=True)
    own.touch()
    assert chromium.require_chromium() == own


@pytest.mark.parametrize("program", [sys.executable, "/none/at/all"])
def test_a_program_that_makes_no_pdf_is_named(program: str) -> None:
    """One that is no Chromium, and one that is not there."""
    with pytest.raises(PdfRefused) as raised:
        chromium.print_pdf("<p>x</p>", Path(program))
    assert raised.value.facts() == {"program": program}
