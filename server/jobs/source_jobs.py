"""Jobs that make a collection follow a source."""

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.job_row import JobRow
from khub.components.catalog.jobs import ENDED
from khub.server.jobs.known_jobs import as_seen
from khub.server.jobs.service_jobs import add_job
from khub.server.sources.asked_source import AskedSource

KIND = "source"


def ask_for_source(asked: AskedSource) -> JobRow:
    """Add a job that syncs a source, unless one waits already; return what is known of it."""
    states = open_catalog().source_states
    states.add(asked.key, asked.collection, asked.shown)
    if (waiting := waiting_job(asked.key)) is not None:
        return waiting
    job = add_job(asked.collection, asked.graph, kind=KIND, folder=asked.shown, source_key=asked.key)
    states.note(asked.key, job_id=job["job_id"])
    return job


def waiting_job(key: str) -> JobRow | None:
    """Return the job of a source that has not ended; None if there is none."""
    state = open_catalog().source_states.get(key)
    job_id = state.record.get("job_id") if state else None
    found = open_catalog().jobs.get(job_id) if job_id else None
    return None if found is None or found["state"] in ENDED else as_seen(found)
