"""A file that is about to be ingested."""

from typing import Any, NotRequired, TypedDict


class SourceRecord(TypedDict):
    """What identifies a file and its content.

    :ivar path: absolute; of a row `FILE#row=ID`.
    :ivar doc_id: of its document.
    :ivar meta: what the file system says of it.
    """

    path: str
    doc_id: str
    sha256: str
    size: int
    meta: NotRequired[dict[str, Any]]
