"""Ctrl-C while a request is on its way whose answer has to be known."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def noted_interrupt() -> Iterator[threading.Event]:
    """Note Ctrl-C for as long as the block runs, which looks for it where it can stop; a second one stops at once."""
    noted = threading.Event()
    before = signal.getsignal(signal.SIGINT)

    def note(*_: Any) -> None:
        noted.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)
