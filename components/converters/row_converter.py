"""Rows of a table as documents of their own."""

import hashlib
import json
from typing import Any

from haystack import Document, component

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.collections import DEFAULT_COLLECTION, check_name
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.given_metadata import joined_meta, with_given
from khub.components.converters.file_types import ROW_TYPE
from khub.components.converters.pages import clean_text
from khub.components.errors import SourceEmptyError
from khub.components.failed_file import failed_file
from khub.components.text.hidden_characters import without_hidden


@component
class RowConverter:
    """Makes a document of each row; rows that have not changed since their last successful ingest are passed over.

    A row is `{"path": str, "text": str, "title": str | None, "meta": dict}`: where it stands (`path#row=ID`), the text
    (Markdown or plain), what it is called, and fields of its own (scalars, lists of scalars). `title` and `meta` may be
    absent.

    :param force: take unchanged rows for changed.
    """

    def __init__(self, force: bool = False) -> None:
        self.force = force

    @component.output_types(
        documents=list[Document],
        sources=list[dict[str, Any]],
        unchanged=list[str],
        failed=list[dict[str, str]],
        collection=str,
    )
    def run(
        self,
        sources: list[dict[str, Any]],
        collection: str | None = None,
        recipe: str | None = None,
        meta: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Compare the rows with the catalog and make documents of those that are new or changed.

        :param sources: rows, see the class; each `path` once.
        :param collection: name of the collection; `default` if None.
        :param recipe: fingerprint of the stages between row and chunk; a row that came in by another one has changed.
        :param meta: metadata of the user for all rows of this run.
        :returns: `documents`: with meta doc_id, source, sha256, size (bytes of the text), doc_type "row", title, and
            the row's and the user's fields; `sources`: the record of each document; `unchanged`: sources; `failed`:
            a `FailedFile` per row without text; `collection`: the name in use.
        :raises CollectionError: if no collection may have that name.
        """
        name = collection or DEFAULT_COLLECTION
        check_name(name)
        catalog = open_catalog()
        records = [row_record(name, row) for row in sources]
        known = catalog.documents.known([record["doc_id"] for record in records])
        found: dict[str, Any] = {"documents": [], "sources": [], "unchanged": [], "failed": [], "collection": name}
        for row, record in zip(sources, records, strict=True):
            if not self.force and known.get(record["doc_id"]) == ("ready", record["sha256"], recipe):
                found["unchanged"].append(row["path"])
                continue
            [given] = with_given(name, [record], unmarked=())  # a column may say the level
            document = _document(row, {**given, "meta": {**(meta or {}), "recipe": recipe}})
            if document.content:
                found["documents"].append(document)
                found["sources"].append(record)
            else:
                found["failed"].append(failed_file(row["path"], "convert", _without_text()))
        return found


def _without_text() -> SourceEmptyError:
    return SourceEmptyError("the row has no text", "leave it out, or name the column of the text")


def row_record(collection: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return what identifies a row and its content: `{"path", "doc_id", "sha256", "size"}`; `path` is its source.

    :param collection: the collection that it goes into.
    :param row: see `RowConverter`.
    """
    content = json.dumps([row["text"], row.get("title"), row.get("meta") or {}], sort_keys=True, default=str)
    return {
        "path": row["path"],
        "doc_id": doc_id_of(collection, row["path"]),
        "sha256": hashlib.sha256(content.encode()).hexdigest(),
        "size": len(row["text"].encode("utf-8", "surrogatepass")),
    }


def _document(row: dict[str, Any], record: dict[str, Any]) -> Document:
    own = {
        "doc_id": record["doc_id"],
        "source": row["path"],
        "sha256": record["sha256"],
        "size": record["size"],
        "doc_type": ROW_TYPE,
        "title": clean_text(without_hidden(row.get("title") or "")) or None,
    }
    return Document(
        content=clean_text(without_hidden(row["text"])), meta={**joined_meta(record, row.get("meta") or {}), **own}
    )
