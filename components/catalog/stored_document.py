"""Documents as the catalog keeps them, for the stages behind the splitter to work on once more."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from haystack import Document

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.chunks import SHOWN, as_document
from khub.components.catalog.documents import DEGRADED_STAGES
from khub.components.catalog.picture import DocumentPicture, Picture
from khub.components.catalog.picture_row import PictureRow
from khub.components.catalog.visible_chunks import VISIBLE
from khub.components.errors import SourceError

LOOKUP_SIZE = 500
OF_THE_RUN = ("degraded", DEGRADED_STAGES)
"""Metadata that says how the stages of an earlier run went."""


@dataclass(frozen=True)
class StoredDocument:
    """A document with visible chunks.

    :param recipe: fingerprint of the stages that made its chunks.
    :param chunks: how many.
    :param is_degraded: whether something simpler stands in for a stage in some of them.
    :param failure: error and remedy, if the last attempt to read its file anew has failed.
    """

    doc_id: str
    source: str
    recipe: str | None
    chunks: int
    is_degraded: bool
    failure: tuple[str, str] | None


@dataclass(frozen=True)
class StoredContent:
    """What the stages behind the splitter take.

    :param version: of the document, of which all this is.
    :param recipe: fingerprint of the stages that made it.
    :param chunks: in order, with the metadata of the document; without word of how earlier stages went.
    """

    version: int
    recipe: str | None
    chunks: list[Document]
    pictures: list[DocumentPicture]


def stored_documents(catalog: Catalog, collection: str) -> list[StoredDocument]:
    """Return the documents of a collection that have chunks, by source."""
    rows = catalog.database.rows(
        "SELECT d.doc_id, d.source, d.recipe, d.chunks, d.error, d.remedy, "
        "json_extract(d.meta, ?) IS NOT NULL AS is_degraded "
        "FROM documents d WHERE d.collection = ? AND d.version > 0 AND d.chunks > 0 ORDER BY d.source",
        (f"$.{DEGRADED_STAGES}", collection),
    )
    return [_as_stored(row) for row in rows]


def read_content(catalog: Catalog, doc_id: str) -> StoredContent | None:
    """Return the chunks and pictures of a document; None if it is no longer there.

    :raises SourceError: if the file of a picture cannot be read.
    """
    rows = catalog.database.rows(
        f"SELECT {SHOWN}, d.version, d.sha256, d.size, d.recipe, d.pages FROM {VISIBLE} "
        "WHERE c.doc_id = ? ORDER BY c.ordinal",
        (doc_id,),
    )
    if not rows:
        return None
    pictures = [_picture(row) for row in catalog.images.of_document(doc_id)]
    return StoredContent(rows[0]["version"], rows[0]["recipe"], [_chunk(row) for row in rows], pictures)


def versions_of(catalog: Catalog, doc_ids: Sequence[str]) -> dict[str, int]:
    """Return which version is visible of the documents among `doc_ids` that are there."""
    found: dict[str, int] = {}
    for start in range(0, len(doc_ids), LOOKUP_SIZE):
        part = doc_ids[start : start + LOOKUP_SIZE]
        marks = ",".join("?" * len(part))
        rows = catalog.database.rows(f"SELECT doc_id, version FROM documents WHERE doc_id IN ({marks})", part)
        found.update((row[0], row[1]) for row in rows)
    return found


def _as_stored(row: Any) -> StoredDocument:
    failure = (row["error"], row["remedy"] or "") if row["error"] else None
    about = (row["doc_id"], row["source"], row["recipe"], row["chunks"])
    return StoredDocument(*about, bool(row["is_degraded"]), failure)


def _chunk(row: Any) -> Document:
    chunk = as_document(row)
    meta = {key: value for key, value in chunk.meta.items() if key not in OF_THE_RUN}
    of_the_file = {"sha256": row["sha256"], "size": row["size"], "recipe": row["recipe"], "page_count": row["pages"]}
    return replace(chunk, meta=meta | of_the_file)


def _picture(row: PictureRow) -> DocumentPicture:
    path = Path(row["path"])
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(
            f"the file of its picture {row['image_id']!r} cannot be read ({error.strerror})", "ingest it again"
        ) from error
    picture = Picture(
        page=row["page"],
        seq=int(row["image_id"].rpartition("_")[2]),
        bbox=cast(tuple[float, float, float, float], tuple(row["box"])) if row["box"] else None,
        width=row["width"],
        height=row["height"],
        mime=row["mime"],
        data=data,
        kind=row["kind"],
        caption=row["caption"],
        alt=row["alt"],
    )
    return DocumentPicture(
        row["image_id"], row["doc_id"], row["source"], picture, text=row["text"], description=row["description"]
    )
