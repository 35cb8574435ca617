"""What a caller whom access levels restrict may write: what it can read itself, and nothing over what it cannot."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from khub.components.catalog.access import ACCESS_FIELD, access_levels
from khub.components.catalog.chunks import NewDocument
from khub.components.catalog.database import Database
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.partly_opened import closed_among
from khub.components.errors import ClosedError, KhubError, MetadataError
from khub.components.failed_file import FailedFile, failed_file

ACCESS_STAGE = "access"
"""The stage at which a file is left out that the caller may not write; it is no failure of the document."""


def refuse_other_levels(value: Any) -> None:
    """Refuse levels that the caller does not have itself: what it writes must be readable to it.

    :param value: of `access_level`: a level, or a list of levels; None for none.
    :raises MetadataError: naming them.
    """
    if not _are_own(value):
        raise MetadataError(_not_own(value), "give one of your own levels", code="access_level_not_allowed")


def only_level() -> Any:
    """Return the level of a caller that has just one, for what it writes without a word about levels; else None."""
    levels = [level for level in access_levels() or () if isinstance(level, str)]
    return levels[0] if len(levels) == 1 else None


def refuse_levels_in(meta: Mapping[str, Any] | None) -> None:
    """Refuse metadata of files that gives levels which the caller does not have; none at all may stand in the files.

    :raises MetadataError: naming them.
    """
    if meta is not None and ACCESS_FIELD in meta:
        refuse_other_levels(meta[ACCESS_FIELD])


def refuse_closed(database: Database, collection: str, sources: Sequence[str]) -> None:
    """Refuse to replace or delete what the caller may not read.

    :param sources: of documents, or of files that may become some.
    :raises ClosedError: naming the first one.
    """
    if closed := closed_sources(database, collection, sources):
        raise _closed(closed[0])


def closed_sources(database: Database, collection: str, sources: Sequence[str]) -> list[str]:
    """Return those of the sources of which a document is there that is closed to the caller, in their order."""
    if access_levels() is None:
        return []
    ids = {source: doc_id_of(collection, source) for source in sources}
    closed = closed_among(database, list(ids.values()))
    return [source for source, doc_id in ids.items() if doc_id in closed]


def told_closed(source: str) -> FailedFile:
    """Return the entry of a report for a file that was left out, since it would replace what is closed."""
    return _told(source, _closed(source))


def without_own_level(new: Sequence[NewDocument]) -> list[FailedFile]:
    """Return an entry of a report for each document whose levels, wherever they come from, are not the caller's."""
    refused = []
    for one in new:
        for value in (chunk.meta.get(ACCESS_FIELD) for chunk in one.chunks):
            if not _are_own(value):
                error = KhubError(_not_own(value), "give it one of your own levels", code="access_level_not_allowed")
                refused.append(_told(one.meta["source"], error))
                break
    return refused


def _not_own(value: Any) -> str:
    return f"{ACCESS_FIELD} {value!r} is not yours to give" if value else f"{ACCESS_FIELD} is missing: it would be open"


def _are_own(value: Any) -> bool:
    own = access_levels()
    levels = value if isinstance(value, list) else [value]
    return own is None or (bool(levels) and all(level in own for level in levels))


def _closed(source: str) -> ClosedError:
    name = Path(source).name
    return ClosedError(f"a document {name!r} is closed to the caller, who may not replace it", "send another name")


def _told(source: str, error: KhubError) -> FailedFile:
    return failed_file(source, ACCESS_STAGE, error)
