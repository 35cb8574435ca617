"""Jobs that make a collection follow a source."""

from khub.components.catalog.access import caller
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.job_row import JobRow
from khub.components.catalog.jobs import ENDED
from khub.components.catalog.write_access import refuse_levels_in
from khub.components.errors import KhubError
from khub.server.jobs.asker import asker_of
from khub.server.jobs.known_jobs import as_seen
from khub.server.jobs.overtaken_jobs import AT_WORK
from khub.server.jobs.service_jobs import add_job
from khub.server.sources.asked_source import AskedSource

KIND = "source"


def ask_for_source(asked: AskedSource) -> JobRow:
    """Add a job that syncs a source for who may have all of it synced; return what is known of it.

    :raises MetadataError: if its documents get a level that the caller does not have.
    :raises ClosedError: if parts of its collection are closed to the caller: its result names what went.
    """
    from khub.server.library.collections import refuse_closed_collection  # a page of jobs needs no part of a graph

    refuse_levels_in(asked.meta)
    refuse_closed_collection(asked.collection)
    return add_source_job(asked)


def add_source_job(asked: AskedSource) -> JobRow:
    """Add a job that syncs a source, unless one waits already that does the same; return what is known of it."""
    states = open_catalog().source_states
    states.add(asked.key, asked.collection, asked.shown)
    for waiting in open_catalog().jobs.of_collection(asked.collection, AT_WORK):
        if waiting.get("source_key") == asked.key and _is_as_good(waiting):
            return as_seen(waiting)
    job = add_job(asked.collection, asked.graph, kind=KIND, folder=asked.shown, source_key=asked.key)
    states.note(asked.key, job_id=job["job_id"])
    return job


def _is_as_good(waiting: JobRow) -> bool:
    """Say whether a job does what one of the caller's would: it is its own, or both may do everything.

    One of somebody with other rights may fail where this one would not, and its result is not the caller's to see.
    """
    who = caller()
    if waiting.get("caller") == who.name:
        return True
    try:
        return who.sees_all and asker_of(waiting).sees_all
    except KhubError:  # it has lost its rights: its job will fail
        return False


def waiting_job(key: str) -> JobRow | None:
    """Return the job of a source that was asked for last, unless it has ended; None if there is none."""
    state = open_catalog().source_states.get(key)
    job_id = state.record.get("job_id") if state else None
    found = open_catalog().jobs.get(job_id) if job_id else None
    return None if found is None or found["state"] in ENDED else as_seen(found)
