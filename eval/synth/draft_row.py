"""A draft, as it stands in its file."""

from typing import TypedDict


class DraftRow(TypedDict):
    """What `Draft` says, and whether a person has accepted it."""

    accepted: bool
    id: str
    question: str
    language: str
    kind: str
    answer: str
    source: str
    page: int | None
    evidence: str
    by: str
