"""Move documents to another collection: each is read there, and goes here once it has come."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.found_metadata import GIVEN
from khub.components.errors import KhubError, SourceError
from khub.components.failed_file import failed_file
from khub.server.jobs.deletions import delete_known_documents
from khub.server.jobs.overtaken_jobs import jobs_that_bring
from khub.server.library.edits import edit_document
from khub.server.library.ingest import ingest
from khub.server.library.ingest_result import IngestResult, Progress
from khub.server.library.ingest_urls import add_result
from khub.server.library.moved_file import copy_file, moved_path
from khub.server.reads.hub_reads import KEPT_BACK, reader, require_whole

STAGE = "move"

Tell = Callable[[Progress], None]


def move_documents(doc_ids: Sequence[str], target: str, graph: str, on_progress: Tell) -> IngestResult:
    """Read documents of other collections in this one, with what people said of them; what has come goes there.

    A second call goes on where one was stopped: what has come is not read again.

    :param doc_ids: those that are gone meanwhile are left out.
    :param target: name of the collection; it may be new.
    :param graph: of kind `ingest`.
    :raises KhubError: as `ingest` does.
    """
    rows = [row for doc_id in doc_ids if (row := reader().document(doc_id)) is not None]
    result = IngestResult(target, graph)
    for meta, alike in _by_given(rows):
        places: dict[str, DocumentRow] = {}
        for row in alike:
            place = moved_path(row["source"], row["collection"], target)
            if _tried(result, row, partial(_bring, row, place)):
                places[place] = row
        tell = _told_of_all(on_progress, len(rows), result)
        come = ingest([*places], target, graph, meta, tell)
        add_result(result, come)
        for place in (*(one["source"] for one in come.written), *come.unchanged):
            if (moved := places.get(place)) is not None:
                _tried(result, moved, partial(_leave, moved, target, place))
    return result


def given_to(row: DocumentRow) -> dict[str, Any]:
    """Return the metadata that people have given to a document, and its levels."""
    keys = [ACCESS_FIELD, *(key for key in row["meta"].get(GIVEN) or () if key not in KEPT_BACK)]
    return {key: row["meta"][key] for key in keys if row["meta"].get(key) is not None}


def _by_given(rows: Sequence[DocumentRow]) -> Iterator[tuple[dict[str, Any], list[DocumentRow]]]:
    """Yield what was given, with the documents to which it was: an ingest takes it for all of its files."""
    groups: list[tuple[dict[str, Any], list[DocumentRow]]] = []
    for row in rows:
        meta = given_to(row)
        alike = next((group for given, group in groups if given == meta), None)
        if alike is None:
            groups.append((meta, [row]))
        else:
            alike.append(row)
    yield from groups


def _bring(row: DocumentRow, place: str) -> None:
    require_whole(row["doc_id"])
    copy_file(row["source"], place)


def _leave(row: DocumentRow, target: str, place: str) -> None:
    """Delete a document that has come to the other collection, unless it is another one meanwhile."""
    come, now = reader().document(doc_id_of(target, place)), reader().document(row["doc_id"])
    if now is None or come is None:
        return
    if now["sha256"] != come["sha256"] or any(jobs_that_bring(row["collection"], [row["source"]])):
        raise SourceError("its file has changed meanwhile: it is in both collections", "move it again")
    if come["title"] != now["title"]:  # a person has given it
        edit_document(come, now["title"], {})
    delete_known_documents([row["doc_id"]])


def _tried(result: IngestResult, row: DocumentRow, act: Callable[[], None]) -> bool:
    """Do something with a document, which stops no other where it cannot be done; say whether it was done."""
    try:
        act()
    except (KhubError, OSError) as error:
        known = error if isinstance(error, KhubError) else SourceError(f"it cannot be copied ({error})")
        result.failed.append(failed_file(row["source"], STAGE, known))
        return False
    return True


def _told_of_all(tell: Tell, total: int, before: IngestResult) -> Tell:
    """Return what tells of some files as of a part of all."""
    done = len(before.written) + len(before.unchanged) + len(before.failed)
    chunks = sum(one["chunks"] for one in before.written)
    pages = sum(one["pages"] or 0 for one in before.written)
    failed = len(before.failed)

    def told(progress: Progress) -> None:
        tell(
            replace(
                progress,
                done=progress.done + done,
                total=total,
                chunks=progress.chunks + chunks,
                pages=progress.pages + pages,
                failed=progress.failed + failed,
                share=None,
            )
        )

    return told
