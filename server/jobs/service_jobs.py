"""Jobs that a service is asked for: they wait in the catalog until its runner comes to them."""

import uuid
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from khub.components.catalog.access import caller, require_collection
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.job_row import JobRow
from khub.components.catalog.jobs import ENDED
from khub.server.jobs.asker import asker_fields
from khub.server.jobs.job_record import JobRecord, now
from khub.server.jobs.known_jobs import as_seen
from khub.server.jobs.next_job import are_few
from khub.server.reads.hub_reads import NotThereError


def ask_for_ingest(
    job_id: str,
    paths: Sequence[str],
    collection: str,
    graph: str,
    meta: dict[str, Any],
    key: str | None = None,
    content: str | None = None,
) -> JobRow:
    """Add a job that ingests files; return what is known of it.

    :param key: that came with the request, so that it is done once.
    :param content: hash of what the request holds.
    """
    few = are_few(paths)
    about = {"kind": "ingest", "paths": list(paths), "few": few, "meta": meta, "content": content}
    return add_job(collection, graph, job_id, key, **about)


def ask_for_reindex(collection: str, graph: str | None) -> JobRow:
    """Add a job that makes a collection's indexes anew; return what is known of it.

    :raises ClosedError: if parts of the collection are closed to the caller.
    """
    from khub.server.library.collections import refuse_closed_collection  # a page of jobs needs no part of a graph

    refuse_closed_collection(collection)
    return add_job(collection, graph, kind="reindex")


def ask_for_sync(
    folder: str,
    collection: str,
    changed: Collection[str] | None,
    graph: str = "ingest",
    agreed: Collection[str] | None = None,
) -> JobRow:
    """Add a job that makes a collection like a folder; return what is known of it.

    :param changed: files of the folder that are looked at; None for all.
    :param graph: of kind `ingest`, through which new and changed files go.
    :param agreed: ids of documents that somebody has agreed to lose, of which those go that are still to go; None for
        whatever is gone, unless that is most of them.
    """
    paths = None if changed is None else sorted(changed)
    about: dict[str, Any] = {"folder": folder, "paths": paths, "agreed": None if agreed is None else sorted(agreed)}
    return add_job(collection, graph, kind="sync", **about)


def add_job(
    collection: str, graph: str | None, job_id: str | None = None, key: str | None = None, **about: Any
) -> JobRow:
    """Add a job that waits until a runner comes to it; return what is known of it.

    :param graph: None for the one that filled the collection.
    :param job_id: a new one without it.
    :param key: that came with the request, so that it is done once.
    :param about: its `kind`, and what else its work needs to know.
    """
    require_collection(collection)
    job_id = job_id or new_job_id()
    JobRecord(job_id).add(
        None if key is None else _of_caller(key),
        state="queued",
        collection=collection,
        graph=graph,
        of_service=True,
        **asker_fields(),
        started_at=now(),
        **about,
    )
    return job_of(job_id)


def job_of(job_id: str) -> JobRow:
    """Return what is known of a job that the caller may know.

    :raises NotThereError: if there is none.
    """
    found = open_catalog().jobs.get(job_id)
    if found is None or not caller().may_know(found.get("caller")):
        raise NotThereError(f"there is no job {job_id[:64]!r}", "see GET /jobs", code="job_unknown")
    return as_seen(found)


def cancel(job_id: str) -> JobRow:
    """Let a job go no further; what it has done stays. One that has ended stays as it is."""
    job_of(job_id)
    fields = {"state": "cancelled", "finished_at": datetime.now(UTC).isoformat(timespec="seconds")}
    open_catalog().jobs.update(job_id, fields, unless=ENDED)
    return job_of(job_id)


def new_job_id() -> str:
    """Return an id that no job has."""
    return uuid.uuid4().hex


def started_with(key: str, since: str) -> JobRow | None:
    """Return the job that the caller has started with a key; None if there is none."""
    return open_catalog().jobs.with_key(_of_caller(key), since)


def _of_caller(key: str) -> str:
    return f"{caller().name}\n{key}"
