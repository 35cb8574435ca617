"""The files of a job, a line each: how far each one is, and what was found in it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.found_content import FoundContent
from khub.components.catalog.job_row import JobRow
from khub.components.catalog.jobs import ENDED
from khub.server.library.uploads import uploads_of
from khub.server.reads.hub_reads import reader

WAITING, AT_WORK, LEFT = "waiting", "at work", "left"
"""What a file is of which nothing was decided yet, or before its job ended."""

READ = ("written", "unchanged")


@dataclass(frozen=True)
class JobLine:
    """A file of a job.

    :param state: `written`, `unchanged` or `failed`; or one of those above.
    :param seconds: that it took itself; None where that is not known.
    :param row: of its document; None where the caller may know none.
    :param found: what it holds, if it was read.
    :param scanned: how many of its pages were read by OCR.
    """

    source: str
    state: str
    seconds: float | None = None
    row: DocumentRow | None = None
    found: FoundContent | None = None
    scanned: int = 0


def files_on_the_way(job: JobRow) -> list[tuple[str, str]]:
    """Return the files of a job that keeps no lists of them yet, those at work first, with their states.

    A state is empty where the catalog has to tell it. Of folders only those files are known that the job names itself.
    """
    progress, uploads = job.get("progress") or {}, f"{uploads_of(job['collection'])}{os.sep}"
    ended = dict(progress.get("ended") or ())
    at_work = [] if job["state"] in ENDED else progress.get("at_work") or []
    known = {**dict.fromkeys(at_work, AT_WORK), **ended}
    sent = [path for path in job.get("paths") or () if path.startswith(uploads)]
    return [*known.items(), *((path, "") for path in sent if path not in known)]


def job_lines(job: JobRow, files: Sequence[tuple[str, str]]) -> list[JobLine]:
    """Return the lines of a few files of a job.

    :param files: source and state of each.
    """
    ids = {source: doc_id_of(job["collection"], source) for source, _ in files}
    rows = reader().documents_of(list(ids.values()))
    known = [(source, state, rows.get(ids[source])) for source, state in files]
    decided = [(source, state or _state(job, row), row) for source, state, row in known]
    took = {one["source"]: one.get("seconds") for one in (job.get("files") or {}).get("written") or ()}
    content = reader().content_of([row["doc_id"] for _, state, row in decided if row and state in READ])
    return [
        JobLine(source, state, took.get(source), row, content.get(ids[source]), _scanned(row))
        for source, state, row in decided
    ]


def _scanned(row: DocumentRow | None) -> int:
    read = row["meta"].get("ocr_pages") if row else None
    return len(read) if row and read and reader().document_is_opened(row["doc_id"]) else 0


def _state(job: JobRow, row: DocumentRow | None) -> str:
    if not _is_decided(job, row):
        return LEFT if job["state"] in ENDED else WAITING
    return "failed" if row and row["error"] else "written"


def _is_decided(job: JobRow, row: DocumentRow | None) -> bool:
    """Say whether a document was decided in the job, and by no job before or after it."""
    time = row and (row["updated_at"] if row["error"] else row["ingested_at"])
    if not time:
        return False
    begun = datetime.fromisoformat(job["started_at"])
    end = datetime.fromisoformat(job["finished_at"]) + timedelta(seconds=1) if job.get("finished_at") else None
    at = datetime.fromisoformat(time)
    return begun.replace(microsecond=0) <= at and (end is None or at <= end)  # the catalog knows whole seconds
