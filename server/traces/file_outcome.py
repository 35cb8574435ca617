"""What became of a file of an ingest, as far as its trace tells."""

from typing import TypedDict


class FileOutcome(TypedDict, total=False):
    """The result of a file, and what is told with it.

    :ivar result: `written`, `unchanged`, `failed`, or `unknown`; it is always there.
    :ivar doc_id: of a file that was written; so `pages` and `chunks`.
    :ivar stage: of a file that failed; so `error`, `remedy` and `code`.
    """

    result: str
    source: str
    doc_id: str
    pages: int | None
    chunks: int
    stage: str
    error: str
    remedy: str
    code: str
