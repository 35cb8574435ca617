"""A hub home for a while: what the evaluation fills and asks lies apart from the user's own collections."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VARIABLE = "KHUB_HOME"


@contextmanager
def hub_home_at(folder: Path) -> Iterator[None]:
    """Make a folder the hub's home until the block ends; for the whole process, so from one thread only."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
