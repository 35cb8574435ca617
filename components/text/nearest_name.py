"""The known name that a mistyped one is most like."""

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return `did you mean 'x'?` for the known name most like the given one, or else another remedy.

    The likeness is that of `difflib` (Ratcliff and Obershelp), 0.6 or more, upper and lower case alike.
    """
    close = nearest_name(name, known)
    return f"did you mean '{close}'?" if close is not None else otherwise


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that `nearest` would ask about; None if none is like it."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[close[0]] if close else None
