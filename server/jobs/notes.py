"""Notes that an assistant writes down: Markdown documents, which the same title replaces."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.job_row import JobRow
from khub.components.catalog.write_access import only_level, refuse_closed
from khub.components.errors import KhubError, QueryError
from khub.components.private_files import owners_alone
from khub.components.text.file_names import safe_name
from khub.server.jobs.asked_ingest import AskedIngest
from khub.server.jobs.child_jobs import ChildJobs
from khub.server.jobs.service_jobs import new_job_id
from khub.server.library.ingest_request import IngestRequest
from khub.server.library.uploads import forget_put_aside, incoming, put_aside, uploads_of

FOLDER = "assistant-notes"
"""Below what was sent to a collection: no title names a file of somebody else."""
ASSISTANT = {"author_kind": "assistant"}


@dataclass(frozen=True)
class Note:
    """What is to be remembered.

    :param title: one line.
    :param level: that opens it; None for the one that the caller has, where it has just one.
    """

    title: str
    text: str
    collection: str
    level: str | None = None

    @property
    def path(self) -> Path:
        """Where its file is kept."""
        return uploads_of(self.collection) / FOLDER / _file_name(self.title)

    @property
    def doc_id(self) -> str:
        """Id of its document, the same for the same title."""
        return doc_id_of(self.collection, str(self.path))

    def content(self) -> bytes:
        """Return its file; nothing in its text can be taken for metadata.

        :raises QueryError: if the text is none.
        """
        try:
            return f"# {self.title}\n\n{self.text.strip()}\n".encode()
        except UnicodeEncodeError as error:
            raise QueryError("the text holds half a character", "send whole ones") from error


def begin_note(note: Note, jobs: ChildJobs) -> JobRow:
    """Keep a note, and begin to read it into its collection; return its job.

    :raises KhubError: if the caller may not write it so, or too many jobs are running.
    """
    level = note.level or only_level()
    meta: dict[str, Any] = {**ASSISTANT, **({} if level is None else {ACCESS_FIELD: level})}
    wanted, job_id = IngestRequest(note.collection, meta=meta), new_job_id()
    wanted.check()
    refuse_closed(open_catalog().database, note.collection, [str(note.path)])
    content, asked = note.content(), AskedIngest(collection=note.collection, graph=wanted.graph, meta=meta)
    with incoming(job_id) as folder:
        part = folder / "0"
        with open(part, "wb", opener=owners_alone) as stream:
            stream.write(content)
        put_aside([part], job_id)
        try:
            return jobs.start_sent(job_id, [str(note.path)], asked)
        except KhubError:
            forget_put_aside(job_id, 1)
            raise


def require_written(job: JobRow) -> None:
    """Let pass the job of a note that has come in, or waits.

    :raises KhubError: if it failed, saying why.
    """
    for failed in (job.get("files") or {}).get("failed") or ():
        raise KhubError(failed["error"], failed["remedy"], code=failed["code"])
    if job["state"] in ("failed", "cancelled", "interrupted"):
        raise KhubError(job.get("error") or f"its job was {job['state']}", "call remember again")


def _file_name(title: str) -> str:
    """Return the name of a note's file; titles that a file system would take for one have different names."""
    plain = f"{title}.md"
    name = safe_name(plain)
    if name == plain:
        return name
    return f"{Path(name).stem}-{hashlib.sha256(title.encode()).hexdigest()[:8]}.md"
