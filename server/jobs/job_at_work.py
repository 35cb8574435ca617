"""A job that a process does."""

import threading
from collections.abc import Callable


class JobAtWork:
    """A job, from when a process was given it until it is over; then the process may be at another one.

    :param end: ends the process that does it, and waits for that; called while the job is not over.
    """

    def __init__(self, end: Callable[["JobAtWork"], None]) -> None:
        self._end = end
        self._over = threading.Event()

    def is_over(self) -> bool:
        """Say whether the job was done, or its process has gone."""
        return self._over.is_set()

    def wait(self, patience_s: float | None = None) -> bool:
        """Wait until it is over; return whether it is."""
        return self._over.wait(patience_s)

    def end(self) -> None:
        """End it now, with its process and those that it has started; one that is over stays as it is."""
        self._end(self)

    def set_over(self) -> None:
        """Let it be over."""
        self._over.set()
