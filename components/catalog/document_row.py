"""A document as the catalog lists it."""

from typing import Any, NotRequired, TypedDict


class DocumentRow(TypedDict):
    """A row of the table `documents`.

    :ivar source: absolute path of the file, of an attached one `MAIL!/NAME`, of a row `FILE#row=ID`; or an address.
    :ivar status: `pending`, `ready` or `failed`.
    :ivar doc_type: None, as all that is read from the file, where nothing of it was ever read.
    :ivar meta: what the user, the converter and the stages said of it (see `document_meta`).
    :ivar error: why it could not be read the last time; an earlier version of it may be there all the same.
    :ivar sort_key: its place in the order of a page of documents.
    """

    doc_id: str
    collection: str
    source: str
    status: str
    doc_type: str | None
    title: str | None
    language: str | None
    pages: int | None
    chunks: int
    size: int | None
    sha256: str | None
    meta: dict[str, Any]
    error: str | None
    remedy: str | None
    ingested_at: str | None
    updated_at: str
    sort_key: NotRequired[str | int]
