"""How much of a claim is looked at: what is longer is no claim that anybody would compare as one."""

import re
from itertools import islice

CLAIM_CHARACTERS = 500
CLAIM_FIGURES = 50
TEXT_CHARACTERS = 20_000
_FIGURE = re.compile(r"\d+")


def looked_at(claim: str) -> str:
    """Return as much of a claim's beginning as is searched for and compared: the whole of it, where it is no longer."""
    begun = claim[:CLAIM_CHARACTERS]
    too_many = next(islice(_FIGURE.finditer(begun), CLAIM_FIGURES, None), None)
    return begun if too_many is None else begun[: too_many.start()]
