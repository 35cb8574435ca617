"""Whether the run of a graph is still wanted: a component that works long asks between its steps.

A thread cannot be ended from outside, so that a cancelled run goes on inside of the component that it has reached.
"""

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Iterator

from components.errors import KhubError

_CANCELLED: contextvars.ContextVar[threading.Event | None] = contextvars.ContextVar("khub_cancelled", default=None)


class RunCancelledError(KhubError):
    """A run that nobody waits for any more."""


@contextlib.contextmanager
def cancellable() -> Iterator[None]:
    """Tell the components that the block runs when its task is cancelled."""
    cancelled = threading.Event()
    token = _CANCELLED.set(cancelled)
    try:
        yield
    except asyncio.CancelledError:
        cancelled.set()
        raise
    finally:
        _CANCELLED.reset(token)


def stop_if_cancelled() -> None:
    """Do nothing while the run is wanted.

    :raises RunCancelledError: once it is not.
    """
    cancelled = _CANCELLED.get()
    if cancelled is not None and cancelled.is_set():
        raise RunCancelledError("the run was cancelled")
