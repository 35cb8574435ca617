"""A leg of a question, explained."""

from typing import NotRequired, TypedDict


class ExplainedLeg(TypedDict):
    """What `LegReport` says, as JSON can hold it.

    :ivar reason: why it was not used, or what was odd; may be empty.
    :ivar coverage: share of the question's terms that the keyword index knows.
    :ivar unknown: names and codes of the question that no passage holds.
    """

    name: str
    used: bool
    hits: int
    reason: str
    coverage: NotRequired[float]
    unknown: NotRequired[list[str]]
