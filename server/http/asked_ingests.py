"""Ingests that somebody asks a service for: what is checked before there is a job."""

from collections.abc import Sequence
from pathlib import Path

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.job_row import JobRow
from khub.components.catalog.write_access import refuse_closed
from khub.components.errors import QueryError
from khub.server.graphs.extensions import extensions_of
from khub.server.http.ingest_roots import path_for_caller
from khub.server.jobs.service_jobs import ask_for_ingest, job_of, new_job_id
from khub.server.library.ingest import prepare_ingest
from khub.server.library.ingest_preview import IngestPreview, preview_found
from khub.server.library.ingest_request import IngestRequest
from khub.server.library.row_sources import file_of
from khub.server.library.source_walk import collect_sources
from khub.server.library.uploads import put_aside, uploads_of


def ask_for_sent(
    wanted: IngestRequest,
    parts: Sequence[tuple[Path, str]],
    job_id: str,
    key: str | None = None,
    content: str | None = None,
) -> JobRow:
    """Keep files that have come, and add the job that ingests them; return what is known of it.

    :param parts: where each lies, and its path below the uploads.
    :param key: that came with the request, so that it is done once.
    :param content: hash of what the request holds.
    :raises KhubError: if they cannot be ingested so, or replace what is closed to the caller.
    """
    paths = places_of_sent(wanted, [name for _, name in parts])
    put_aside([part for part, _ in parts], job_id)
    return ask_for_ingest(job_id, paths, wanted.collection, wanted.graph, wanted.meta, key, content)


def places_of_sent(wanted: IngestRequest, names: Sequence[str]) -> list[str]:
    """Return the absolute paths that files will have which are sent, if they may come in.

    :param names: paths below the uploads.
    :raises KhubError: as `ask_for_sent` does.
    """
    wanted.check()
    paths = [str(uploads_of(wanted.collection) / name) for name in names]
    refuse_closed(open_catalog().database, wanted.collection, paths)
    return paths


def ask_for_paths(wanted: IngestRequest, paths: Sequence[str]) -> JobRow:
    """Add a job that ingests files and folders of this machine; return what is known of it.

    :param paths: absolute, from which the caller may ingest, see `path_for_caller`.
    :raises KhubError: if they cannot be ingested so, or replace what is closed to the caller.
    """
    wanted.check()
    wanted.check_paths(paths)
    return ask_for_ingest(new_job_id(), paths, wanted.collection, wanted.graph, wanted.meta)


def preview_paths(wanted: IngestRequest, paths: Sequence[str]) -> IngestPreview:
    """Say what `ask_for_paths` would do; nothing is written.

    :raises KhubError: as it does.
    """
    wanted.check()
    graph = prepare_ingest(wanted.graph, wanted.collection, wanted.meta)
    found = collect_sources(paths, extensions=extensions_of(graph))
    refuse_closed(open_catalog().database, wanted.collection, found.files)
    return preview_found(graph, found, wanted.collection)


def ask_again(job_id: str) -> JobRow:
    """Add a job for the files of another one that have failed, or for all where it has failed itself.

    :raises KhubError: if none has, or they cannot be ingested any more.
    """
    job = job_of(job_id)
    paths = failed_paths(job)
    if not paths:
        raise QueryError(f"nothing has failed in job {job_id!r}", "ingest what you want to be read")
    uploads = uploads_of(job["collection"])
    allowed = [path if Path(path).is_relative_to(uploads) else path_for_caller(path) for path in paths]
    return ask_for_paths(IngestRequest(job["collection"], str(job["graph"]), job.get("meta") or {}), allowed)


def failed_paths(job: JobRow) -> list[str]:
    """Return what can be ingested again of a job that has ended: the files that failed, or all if it failed itself."""
    if job["state"] == "failed" and job["kind"] == "ingest":
        return list(job["paths"] or ())
    failed = (job.get("files") or {}).get("failed") or []
    return list(dict.fromkeys(file_of(one["source"]) for one in failed))
