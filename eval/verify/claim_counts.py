"""How many verdicts are right."""

from typing import TypedDict


class VerdictCounts(TypedDict):
    """The claims of a verdict: how many there are, how many were found to be so, and what was said of them."""

    claims: int
    right: int
    said: dict[str, int]


class ClaimCounts(TypedDict):
    """The counts of some claims.

    :ivar by_verdict: of the label.
    :ivar precision: verdict -> how often it was right, and was said.
    :ivar cited: of the decided claims, those of which the first citation is the labelled file, and all.
    """

    claims: int
    right: int
    by_verdict: dict[str, VerdictCounts]
    precision: dict[str, tuple[int, int]]
    cited: tuple[int, int]
