"""Which job of a service comes next: one of few files does not wait for one of many."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePath

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.job_row import JobRow

FEW = 10
"""Files of a job that may go before others."""
PASSED_S = 600.0
"""After so long nothing goes before a job any more that was asked for later."""


def are_few(paths: Collection[str]) -> bool:
    """Say whether a job of these paths is over soon, as far as their number tells; a folder may hold any number."""
    return len(paths) <= FEW and not any(Path(path).is_dir() for path in paths)


def next_job(busy: Sequence[str], collections: Sequence[str] = ()) -> JobRow | None:
    """Return the job that is to run next; None if none waits.

    It is the one that has waited for longest, or one of few files in the same collection that may go before it. One of
    the same file may not, since the later one is to win, nor one through another graph, since the first of them may
    bind the collection.

    :param busy: collections of which none is wanted.
    :param collections: only those of these; of all if empty.
    """
    jobs = open_catalog().jobs
    first = jobs.waiting(busy, collections)
    if first is None or first.get("few"):
        return first
    rows = [job for job in jobs.of_collection(first["collection"], ("queued",)) if job.get("of_service")]
    few = [(number, job) for number, job in enumerate(rows) if job.get("few")]
    return next((job for number, job in few if all(_may_pass(job, other) for other in rows[:number])), first)


def _may_pass(job: JobRow, other: JobRow) -> bool:
    """Say whether a job of few files may go before an older one."""
    return (
        other["kind"] in ("ingest", "sync")
        and other["graph"] == job["graph"]
        and (datetime.now(UTC) - datetime.fromisoformat(other["created_at"])).total_seconds() < PASSED_S
        and not _concern_the_same(job, other)
    )


def _concern_the_same(job: JobRow, other: JobRow) -> bool:
    places = {PurePath(other.get("folder") or "")} if other["kind"] == "sync" else set(map(PurePath, _paths(other)))
    return any(not places.isdisjoint((PurePath(path), *PurePath(path).parents)) for path in _paths(job))


def _paths(job: JobRow) -> list[str]:
    return list(job.get("paths") or ())
