"""The known name that a mistyped one is most like."""

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return `did you mean 'x'?` for the known name most like the given one, or else another remedy.

    The likeness is that of `difflib` (Ratcliff and Obershelp), 0.6 or more, upper and lower case alike.
    """
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f"did you mean '{by_lower[close[0]]}'?" if close else otherwise
