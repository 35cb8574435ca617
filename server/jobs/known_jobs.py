"""Pages of the jobs that a caller may know."""

from collections.abc import Sequence
from typing import Any

from components.catalog.access import caller
from components.catalog.catalog import open_catalog


def known_jobs(states: Sequence[str], offset: int, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """Return how many jobs the caller may know, and a page of them, the newest first, without their lists of files.

    :param states: only those in one of these; all if empty.
    """
    who = caller()
    if not who.sees_all and not who.name:  # nobody knows whose they are
        return 0, []
    return open_catalog().jobs.page(states, None if who.sees_all else who.name, offset, limit)
