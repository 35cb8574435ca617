"""The time that one page may take."""

import time


class PageTooSlowError(Exception):
    """A page took longer than it may."""


class Deadline:
    """Counts down from its creation.

    :param seconds: until it has passed.
    """

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Raise when it has passed.

        :raises PageTooSlowError: when it has.
        """
        if time.monotonic() > self._end:
            raise PageTooSlowError
