"""A place that answers a question, as golden sets have it."""

from typing import TypedDict


class PlaceRow(TypedDict):
    """What `Place` says, as JSON can hold it."""

    source: str
    page: int | None
    evidence: str
    grade: int
