"""Running a page again until what another thread does is seen on it, as a reader's browser would."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

PATIENCE_SECONDS = 60
"""For a machine that has much else to do; one that has not is done at once."""


def run_until(app: AppTest, done: Callable[[AppTest], object]) -> None:
    """Run the page until this is so, at most a minute."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not done(app) and time.monotonic() < deadline:
        app.run()
        time.sleep(0.01)
    assert done(app)
