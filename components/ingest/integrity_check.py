"""Which files are new or changed: everything else is skipped before any work."""

import datetime
import hashlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from haystack import component

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.collections import DEFAULT_COLLECTION, check_name
from khub.components.catalog.documents import DEGRADED_STAGES, doc_id_of
from khub.components.catalog.found_metadata import FOUND, GIVEN
from khub.components.catalog.given_metadata import KEPT_META, with_given
from khub.components.catalog.source_record import SourceRecord
from khub.components.catalog.unchanged import unchanged_among
from khub.components.converters.file_types import CONTAINER_TYPES, doc_type_of
from khub.components.converters.mail.fields import MESSAGE_FIELDS
from khub.components.converters.source_reader import status_of
from khub.components.errors import KhubError, SourceError
from khub.components.failed_file import failed_file

READ_SIZE = 1 << 20


@component
class IntegrityCheck:
    """Compares sha256 of each file with the catalog.

    A file is unchanged if its bytes and the recipe (what makes chunks of it) are those of its last successful ingest,
    no stage was degraded in that, and what the user says of it now is said of it already; a mail, if nothing attached
    to it has failed or was degraded, either. What the user has said of a file before holds when it has changed.

    :param force: take unchanged files for changed.
    """

    def __init__(self, force: bool = False) -> None:
        self.force = force

    @component.output_types(
        sources=list[dict[str, Any]], unchanged=list[str], failed=list[dict[str, Any]], collection=str
    )
    def run(
        self,
        sources: list[str],
        collection: str | None = None,
        recipe: str | None = None,
        meta: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Hash the files and look them up.

        :param sources: paths of files.
        :param collection: name of the collection; `default` if None.
        :param recipe: fingerprint of the stages between file and chunk; a file that came in by another one has changed.
        :param meta: metadata of the user for all files of this run; its `modified_at` is taken for the file's.
        :returns: `sources`: records of new or changed files, with the `collection` and the file's own time in `meta` as
            `modified_at` (ISO 8601 in UTC; another time alone makes no file a changed one); `unchanged`: paths;
            `failed`: files that cannot be read; `collection`: the name in use.
        :raises CollectionError: if no collection may have that name.
        """
        name = collection or DEFAULT_COLLECTION
        check_name(name)
        records, failed = [], []
        for path in dict.fromkeys(str(Path(source).absolute()) for source in sources):
            try:
                records.append(_record(name, path))
            except KhubError as error:
                shown = path.encode(errors="backslashreplace").decode()
                failed.append(failed_file(shown, "check", error))
        said_by_sources = open_catalog().source_items.said_of([record["path"] for record in records])
        for record in records:
            record["meta"] = {**record.get("meta", {}), **said_by_sources.get(record["path"], {})}
        same = set() if self.force else unchanged_among(records, recipe, meta or {})
        changed = [record for record in records if record["doc_id"] not in same]
        said = {**(meta or {}), "recipe": recipe}
        of_all = {"collection": name, **({"force": True} if self.force else {})}
        kept = _kept_meta(changed)
        told = [
            {**record, **of_all, **kept.get(record["doc_id"], {}), "meta": {**record["meta"], **said}}
            for record in with_given(name, changed)
        ]
        unchanged = [record["path"] for record in records if record["doc_id"] in same]
        return {"sources": told, "unchanged": unchanged, "failed": failed, "collection": name}


def _kept_meta(records: Sequence[SourceRecord]) -> dict[str, dict[str, Any]]:
    mails = {record["doc_id"]: record for record in records if doc_type_of(Path(record["path"])) in CONTAINER_TYPES}
    known = open_catalog().documents.said(list(mails)) if mails else {}
    kept = {}
    for doc_id, (sha256, meta) in known.items():
        made = {*MESSAGE_FIELDS, *meta.get(FOUND, ()), FOUND, GIVEN, DEGRADED_STAGES}
        if sha256 == mails[doc_id]["sha256"]:
            kept[doc_id] = {KEPT_META: {key: value for key, value in meta.items() if key not in made}}
    return kept


def _record(collection: str, path: str) -> SourceRecord:
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise SourceError(f"{path!r} has a name that is not UTF-8", "rename it", code="name_invalid") from error
    try:
        if stat.S_ISDIR(status_of(Path(path)).st_mode):
            raise SourceError(f"{path!r} is a folder", "name an existing file", code="source_kind_wrong")
        digest, size = hashlib.sha256(), 0
        with Path(path).open("rb") as stream:
            modified = os.fstat(stream.fileno()).st_mtime
            while block := stream.read(READ_SIZE):
                digest.update(block)
                size += len(block)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SourceError(
            f"{path!r} cannot be read ({reason})", "check that it exists and that you may read it"
        ) from error
    return {
        "path": path,
        "doc_id": doc_id_of(collection, path),
        "sha256": digest.hexdigest(),
        "size": size,
        "meta": _times(modified),
    }


def _times(modified: float) -> dict[str, str]:
    try:
        time = datetime.datetime.fromtimestamp(modified, datetime.UTC)
    except (OverflowError, ValueError, OSError):  # a file can bear a year that no calendar has
        return {}
    return {"modified_at": time.isoformat(timespec="milliseconds")}
