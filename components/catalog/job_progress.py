"""How far a job has come."""

from collections.abc import Sequence
from typing import TypedDict


class JobProgress(TypedDict, total=False):
    """What a job tells of itself while it is at work.

    :ivar done: files of an ingest or a sync, chunks of a reindex; so `total`.
    :ivar chunks: that were written.
    :ivar failed: how many files.
    :ivar at_work: files that are next, together.
    :ivar ended: files that were decided last, each with `written`, `unchanged` or `failed`.
    :ivar share: of the work that is done, from 0 to 1, by the sizes of the files.
    :ivar stage: at which it is.
    :ivar kept: of a reindex: chunks whose vector was there.
    :ivar written: of a reindex: chunks whose vector is in the new index.
    """

    done: int
    total: int
    chunks: int
    pages: int
    failed: int
    at_work: Sequence[str]
    ended: Sequence[tuple[str, str]]
    share: float | None
    stage: str | None
    kept: int
    written: int
