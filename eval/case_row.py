"""A case, as golden sets and the inputs of graphs have it."""

from typing import TypedDict

from khub.eval.place_row import PlaceRow


class CaseRow(TypedDict):
    """What `Case` says, as JSON can hold it."""

    id: str
    question: str
    language: str
    kind: str
    answerable: bool
    answer: str | None
    relevant: list[PlaceRow]
