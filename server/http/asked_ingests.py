"""Ingests that somebody asks a service for: what is checked before there is a job."""

from collections.abc import Sequence
from pathlib import Path

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.job_row import JobRow
from khub.components.catalog.parts import shown_name
from khub.components.catalog.write_access import refuse_closed
from khub.components.errors import QueryError, SourceError
from khub.server.graphs.extensions import extensions_of
from khub.server.http.ingest_roots import path_for_caller
from khub.server.jobs.service_jobs import ask_for_ingest, job_of, new_job_id
from khub.server.library.downloads import downloads_of
from khub.server.library.ingest import prepare_ingest
from khub.server.library.ingest_preview import IngestPreview, preview_found
from khub.server.library.ingest_request import IngestRequest
from khub.server.library.row_sources import file_of, file_of_row
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
    allowed = [_allowed(path, job["collection"]) for path in paths]
    return ask_for_paths(IngestRequest(job["collection"], str(job["graph"]), job.get("meta") or {}), allowed)


def ask_to_read_again(rows: Sequence[DocumentRow], graph: str) -> list[JobRow]:
    """Add a job for each collection of some documents, which reads their files again though these have not changed.

    :param rows: of documents that the caller may change.
    :param graph: of kind `ingest`, through which the files go.
    :raises KhubError: if a file is gone or may not be read from, or cannot go through the graph; then there is no job.
    """
    wanted: dict[str, list[str]] = {}
    for row in rows:
        paths, path = wanted.setdefault(row["collection"], []), file_to_read(row)
        if path not in paths:
            paths.append(path)
    asked = [(IngestRequest(name, graph), paths) for name, paths in wanted.items()]
    for request, paths in asked:
        request.check()
        request.check_paths(paths)
    files = [doc_id_of(name, path) for name, paths in wanted.items() for path in paths]  # mails of what is attached
    open_catalog().documents.forget_recipes([*(row["doc_id"] for row in rows), *files])
    return [ask_for_ingest(new_job_id(), paths, request.collection, graph, {}) for request, paths in asked]


def file_to_read(row: DocumentRow) -> str:
    """Return the path of a document's file, which is there and may be read by the caller.

    :raises KhubError: if it is gone, or may not be read, or the document is a row of a table.
    """
    name = shown_name(row["source"])
    if file_of_row(row["source"]):
        raise QueryError(f"{name!r} is a row of a table", "ingest the table again")
    path = _allowed(file_of(row["source"]), row["collection"])
    there = open_catalog().files.find if _is_kept(path, row["collection"]) else Path.is_file
    if not there(Path(path)):
        raise SourceError(f"the file of {name!r} is gone", "leave it out, or put the file back")
    return path


def _allowed(path: str, collection: str) -> str:
    """Return the path of a file that the caller may have read again."""
    return path if _is_kept(path, collection) else path_for_caller(path)


def _is_kept(path: str, collection: str) -> bool:
    """Say whether the hub keeps a file itself: it was sent, or fetched."""
    return any(Path(path).is_relative_to(folder) for folder in (uploads_of(collection), downloads_of(collection)))


def failed_paths(job: JobRow) -> list[str]:
    """Return what can be ingested again of a job that has ended: the files that failed, or all if it failed itself."""
    if job["state"] == "failed" and job["kind"] == "ingest":
        return list(job["paths"] or ())
    failed = (job.get("files") or {}).get("failed") or []
    return list(dict.fromkeys(file_of(one["source"]) for one in failed))
