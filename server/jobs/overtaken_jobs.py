"""Jobs that wait while something is deleted: what they would bring is older than the deletion, which wins."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import PurePath

import portalocker

from khub.components.catalog.job_row import JobRow
from khub.components.catalog.parts import shown_name
from khub.components.errors import CollectionError
from khub.server.jobs.job_record import JobRecord, job_rows, now
from khub.server.library.uploads import forget_put_aside

AT_WORK = ("running", "queued")
MOMENT_S = 0.5
"""Who asks for the state of a job holds its lock for a moment; its process holds it as long as it lives."""


class AtWorkError(CollectionError):
    """Something that cannot be deleted, since a job is at work on it."""

    code = "job_running"


def drop_from_jobs(collection: str, sources: Sequence[str]) -> None:
    """Let the jobs that wait ingest none of some files; their results say so.

    :param sources: of documents that are about to be deleted.
    :raises AtWorkError: if a job is at work that may bring one back; then no job is changed.
    """
    with contextlib.ExitStack() as held:
        found = jobs_that_bring(collection, sources)
        waiting = [(held.enter_context(_waiting(job, repr(shown_name(files[0])))), files) for job, files in found]
        for record, files in waiting:
            if about := record and record.read():
                record.update(dropped=sorted({*about.get("dropped", ()), *files}))


def jobs_that_bring(collection: str, sources: Sequence[str]) -> list[tuple[JobRow, list[str]]]:
    """Return the ingests that wait or are at work and may bring some files, each with those that it may."""

    def of_job(job: JobRow) -> list[str]:
        if job["kind"] != "ingest":  # a sync makes the collection like the folder, whoever deleted what
            return []
        places = set(map(PurePath, job["paths"] or ()))
        return [one for one in sources if not places.isdisjoint((PurePath(one), *PurePath(one).parents))]

    return [(job, files) for job in job_rows().of_collection(collection, AT_WORK) if (files := of_job(job))]


def cancel_jobs(collection: str) -> None:
    """Cancel the jobs of a collection that wait.

    :raises AtWorkError: if one is at work.
    """
    jobs = job_rows().of_collection(collection, AT_WORK)
    for job in sorted(jobs, key=lambda one: AT_WORK.index(one["state"])):  # one that runs is met before any is changed
        with _waiting(job, f"collection {collection!r}") as record:
            if record is not None:
                record.update(state="cancelled", finished_at=now())
                forget_put_aside(record.job_id, len(job.get("paths") or ()))


@contextlib.contextmanager
def _waiting(job: JobRow, what: str) -> Iterator[JobRecord | None]:
    """Keep a job from beginning while the block runs, and give its record; None if it has ended.

    One that a killed service has left as running waits, too.

    :param what: is to be deleted, in messages.
    :raises AtWorkError: if its process lives.
    """
    record = JobRecord(job["job_id"])
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(record.held(MOMENT_S))
        except portalocker.exceptions.LockException as error:
            if _is_at_work(record):
                raise AtWorkError(f"a job is at work on {what}", "cancel it, or wait until it has ended") from error
        yield record if _is_at_work(record) else None


def _is_at_work(record: JobRecord) -> bool:
    found = record.read()
    return found is not None and found["state"] in AT_WORK
