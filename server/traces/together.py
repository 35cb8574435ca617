"""Runs that answer one question together, each in another collection: their records share an id."""

import contextlib
import contextvars
import uuid
from collections.abc import Iterator

_together: contextvars.ContextVar[str] = contextvars.ContextVar("khub_together", default="")


def together() -> str:
    """Return the id that the runs of this code share; empty where each stands for itself."""
    return _together.get()


@contextlib.contextmanager
def running_together() -> Iterator[None]:
    """Let the runs of the block share an id."""
    token = _together.set(uuid.uuid4().hex)
    try:
        yield
    finally:
        _together.reset(token)
