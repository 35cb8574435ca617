"""Files that another program keeps a collection like: it sends what is new, and has what is gone deleted.

They lie in a folder of their own below what was sent to the collection: no other document is taken for one of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from khub.components.catalog.access import caller
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.found_metadata import SYNCED_HASH
from khub.components.catalog.parts import file_of_part
from khub.components.errors import QueryError
from khub.server.jobs.job_record import job_rows
from khub.server.jobs.overtaken_jobs import AT_WORK
from khub.server.library.uploads import safe_path, uploads_of
from khub.server.reads.hub_reads import reader

FOLDER = "synced"


class SourceFile(NamedTuple):
    """A file as the other program knows it.

    :ivar folder: with `/` between its parts; empty at the top.
    :ivar checksum: of its state: a hash of its bytes, or whatever its source has.
    """

    folder: str
    name: str
    checksum: str

    @property
    def place(self) -> str:
        """Path of the file below what was sent to the collection.

        :raises SourceError: if nothing can be called so.
        """
        return place_of(self.folder, self.name)


@dataclass
class SyncDifference:
    """What a collection lacks of being like the files.

    :ivar modified: files with the documents that they replace.
    :ivar deleted: documents whose files are gone, by where these lay.
    """

    added: list[SourceFile] = field(default_factory=list)
    modified: list[tuple[SourceFile, DocumentRow]] = field(default_factory=list)
    deleted: dict[str, DocumentRow] = field(default_factory=dict)
    unmodified: int = 0


def place_of(folder: str, name: str) -> str:
    """Return where a file lies below what was sent to a collection."""
    return f"{FOLDER}/{safe_path(f'{folder}/{name}' if folder else name)}"


def is_synced(source: str, collection: str) -> bool:
    """Say whether a document of a collection comes from such a file, or from what is in one."""
    return Path(source).is_relative_to(uploads_of(collection) / FOLDER)


def synced_documents(collection: str) -> dict[str, DocumentRow]:
    """Return the documents of such files that the caller may read, by where they lie; without what is in a mail."""
    uploads, rows = uploads_of(collection), reader().documents(collection, 0, -1)
    ours = [row for row in rows if is_synced(row["source"], collection)]
    return {
        Path(row["source"]).relative_to(uploads).as_posix(): row for row in ours if file_of_part(row["source"]) is None
    }


def difference(collection: str, files: Sequence[SourceFile]) -> SyncDifference:
    """Say what has to come and go so that a collection is like the files; what waits in a job counts as there.

    :raises QueryError: if two files would have one place.
    """
    known, waiting, found = synced_documents(collection), _waiting(collection), SyncDifference()
    places = _by_place(files)
    for place, file in places.items():
        row = known.get(place)
        if waiting[place] == file.checksum if place in waiting else row is not None and _is_of(row, file.checksum):
            found.unmodified += 1
        elif row is None:
            found.added.append(file)
        else:
            found.modified.append((file, row))
    found.deleted = {place: row for place, row in known.items() if place not in places}
    return found


def _by_place(files: Sequence[SourceFile]) -> Mapping[str, SourceFile]:
    places: dict[str, SourceFile] = {}
    for file in files:
        other = places.setdefault(file.place, file)
        if other is not file:
            raise QueryError(
                f"{file.folder}/{file.name} and {other.folder}/{other.name} would be one file here",
                "call one of them otherwise",
                code="name_taken",
            )
    return places


def _waiting(collection: str) -> dict[str, str]:
    """Return the states of files that a job which the caller may know is about to bring, or brings."""
    uploads, found = uploads_of(collection), dict[str, str]()
    for job in job_rows().of_collection(collection, AT_WORK):
        state = (job.get("meta") or {}).get(SYNCED_HASH) if caller().may_know(job.get("caller")) else None
        for path in job.get("paths") or () if state is not None else ():
            if Path(path).is_relative_to(uploads):
                found[Path(path).relative_to(uploads).as_posix()] = str(state)
    return found


def _is_of(row: DocumentRow, checksum: str) -> bool:
    """Say whether a document was made of a state of its file; of one that failed the kept file alone tells."""
    if row["error"] is None:
        return bool(row["meta"].get(SYNCED_HASH) == checksum)
    return open_catalog().files.sha256(Path(row["source"])) == checksum
