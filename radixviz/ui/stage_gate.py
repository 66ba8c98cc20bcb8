"""The gate between two stages: a run waits there until somebody asks for more, or calls it off."""

from __future__ import annotations

from threading import Condition

IDLE_SECONDS = 1800.0
"""So long a loaded model waits for the next request; then its memory is freed."""


class StageGate:
    """Lets so many stages through. One thread passes, any thread opens or closes it."""

    def __init__(self, idle_seconds: float = IDLE_SECONDS) -> None:
        self._condition = Condition()
        self._allowed: float = 0
        self._passed = 0
        self._closed = False
        self._idle_seconds = idle_seconds

    @property
    def is_closed(self) -> bool:
        """Whether the run has been called off."""
        return self._closed

    @property
    def is_waiting(self) -> bool:
        """Whether everything that was asked for has gone through."""
        return self._passed >= self._allowed

    def allow(self, stages: float) -> None:
        """Let this many more stages through."""
        with self._condition:
            self._allowed = max(self._allowed, self._passed) + stages
            self._condition.notify_all()

    def close(self) -> None:
        """Call the run off."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()

    def is_open(self) -> bool:
        """Wait until the next stage may run; False when the run was called off, or nobody asked for so long."""
        with self._condition:
            self._condition.wait_for(lambda: self._closed or not self.is_waiting, self._idle_seconds)
            self._closed = self._closed or self.is_waiting
            return not self._closed

    def pass_stage(self) -> None:
        """Note that a stage has run."""
        with self._condition:
            self._passed += 1
