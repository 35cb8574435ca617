"""An answer that a run keeps."""

from typing import TypedDict


class KeptCitation(TypedDict, total=False):
    """A citation (see `Citation`), of which the evaluators know these.

    :ivar relative_source: path of its file from the documents' folder.
    """

    chunk_id: str
    source: str
    relative_source: str
    section: str
    page: int | None
    text: str


class KeptAnswer(TypedDict, total=False):
    """An answer (see `Answer`), of which the evaluation knows these; one that failed has `case_id` and `error` alone.

    :ivar seconds: what it took.
    """

    case_id: str
    error: str
    abstained: bool
    confidence: float
    citations: list[KeptCitation]
    trace_id: str
    seconds: float
