"""A labelled claim beside what a graph says of it."""

from typing import TypedDict

from khub.eval.verify.labelled_claims import LabelledClaim


class CheckedClaim(TypedDict):
    """What was said of a claim.

    :ivar said: the verdict.
    :ivar source: file of the first citation, from the documents' folder.
    :ivar ms: what it took.
    """

    claim: LabelledClaim
    said: str
    confidence: float
    reason: str
    source: str | None
    ms: float
