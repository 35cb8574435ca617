"""Where the hub keeps everything it writes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_HOME: ContextVar[Path | None] = ContextVar("khub_home", default=None)


def hub_home() -> Path:
    """Return the hub's data folder: that of `at_home`, else `$KHUB_HOME`, else `./data`; it need not exist yet."""
    return _HOME.get() or Path(os.environ.get("KHUB_HOME") or "data").expanduser().absolute()


@contextmanager
def at_home(folder: Path) -> Iterator[None]:
    """Make a folder the hub's home for the block, and for the threads that are started with its context."""
    token = _HOME.set(folder)
    try:
        yield
    finally:
        _HOME.reset(token)
