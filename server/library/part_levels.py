"""Access levels of files attached to mails: never more open than the mail, whose own file holds them."""

from typing import Any

from khub.components.catalog.access import ACCESS_FIELD, levels_key
from khub.components.catalog.catalog import Catalog
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.parts import PART_MARK, file_of_part
from khub.components.errors import MetadataError


def refuse_wider(catalog: Catalog, row: DocumentRow, value: Any) -> None:
    """Refuse a level by which an attached file could be read where its mail cannot.

    :param row: of the document, from the catalog.
    :param value: the new `access_level`.
    :raises MetadataError: naming the mail's.
    """
    if file_of_part(row["source"]) is None:
        return
    mail = doc_id_of(row["collection"], row["source"].rpartition(PART_MARK)[0])
    _, meta = catalog.documents.said([mail]).get(mail, (None, {}))
    if not _is_within(value, meta.get(ACCESS_FIELD)):
        raise MetadataError(
            f"{ACCESS_FIELD} {value!r} is more than its mail has",
            "change that of the mail first",
            code="access_level_not_allowed",
        )


def parts_to_follow(catalog: Catalog, row: DocumentRow, value: Any) -> list[DocumentRow]:
    """Return the rows of attached files whose levels have to become those that their mail is about to get.

    These have the ones that it has now, or would be more open than it.

    :param row: of the mail, from the catalog.
    :param value: its new `access_level`.
    """
    attached = {part["doc_id"] for part in catalog.documents.parts_of([row["doc_id"]])}
    if not attached:
        return []
    before = levels_key(row["meta"].get(ACCESS_FIELD))
    rows = [one for one in catalog.documents.of_collection(row["collection"]) if one["doc_id"] in attached]
    return [
        one
        for one in rows
        if one["chunks"] and (levels_key(own := one["meta"].get(ACCESS_FIELD)) == before or not _is_within(own, value))
    ]


def _is_within(value: Any, around: Any) -> bool:
    """Say whether nobody may read what has one level, or several, who may not read what has the others."""
    return {*_levels(value)} <= {*_levels(around)}


def _levels(value: Any) -> list[str]:
    return [str(level) for level in (value if isinstance(value, list) else [value]) if level is not None]
