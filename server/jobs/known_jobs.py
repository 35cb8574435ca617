"""The jobs that a caller may know."""

from collections.abc import Sequence

from khub.components.catalog.access import caller
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.job_row import JobRow
from khub.server.jobs.job_record import JobRecord
from khub.server.jobs.opened_job import as_far_as_opened


def known_jobs(
    states: Sequence[str], offset: int, limit: int, collection: str | None = None, kinds: Sequence[str] = ()
) -> tuple[int, list[JobRow]]:
    """Return how many jobs the caller may know, and a page of them, the newest first, without their lists of files.

    :param states: only those in one of these; all if empty.
    :param collection: only those in this one.
    :param kinds: only these; all if empty.
    """
    who = caller()
    if not who.sees_all and not who.name:  # nobody knows whose they are
        return 0, []
    started_by = None if who.sees_all else who.name
    total, rows = open_catalog().jobs.page(states, started_by, offset, limit, collection, kinds)
    return total, [as_seen(row) for row in rows]


def as_seen(found: JobRow) -> JobRow:
    """Return a job as it is now, as far as its files are opened to the caller.

    One of a command that is at it is written down as interrupted (see `CommandJob`).
    """
    found = as_far_as_opened(found)
    if not found.get("door") or found["state"] != "interrupted" or not JobRecord(found["job_id"]).is_held():
        return found
    seen: JobRow = {**found, "state": "running"}
    seen.pop("remedy", None)
    return seen


def door_of(found: JobRow) -> str:
    """Return by which door a job came: a command, the service (HTTP, pages, its watch), or an assistant."""
    return str(found.get("door") or ("service" if found.get("of_service") else "mcp"))
