"""Jobs that keep a hub where it is."""

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.database import LockHeldError
from khub.components.catalog.job_row import JobRow
from khub.server.jobs.job_record import JobRecord
from khub.server.jobs.known_jobs import as_seen
from khub.server.jobs.runner import is_run_here

MOST = 1_000_000
WAITING = ("queued", "running")


def refuse_unfinished_jobs(catalog: Catalog) -> None:
    """Refuse a hub with jobs that run or wait: they would go on in the old place.

    :raises LockHeldError: naming one, or where a service of this machine would take further ones.
    """
    if not catalog.database.shared and is_run_here():
        raise LockHeldError(
            f"a khub serve or khub worker does the jobs of the hub in {catalog.home}",
            "end it and move then; khub serve --no-worker may answer meanwhile",
        )
    for found in catalog.jobs.listed((*WAITING, "interrupted"), limit=MOST):
        job = _as_now(catalog, found)
        if job["state"] in WAITING or job.get("of_service"):
            raise LockHeldError(
                f"job {job['job_id']} of collection {job['collection']!r} is {job['state']}",
                "let it come to its end (a service's needs khub serve or khub worker) or cancel it, and move then",
            )


def _as_now(catalog: Catalog, found: JobRow) -> JobRow:
    """Return a job as it is now; who killed one without a service has told nobody."""
    if found["state"] in WAITING and not found.get("of_service") and not catalog.database.shared:
        return JobRecord(found["job_id"]).close_if_abandoned() or found
    return as_seen(found)
