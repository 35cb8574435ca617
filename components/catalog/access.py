"""Who may read what: the access levels that this process shows, set by whoever runs it and by no caller."""

import os

from components.errors import FilterError

ACCESS_FIELD = "access_level"
"""Metadata of a document (or of a chunk): a level, or a list of levels of which one is enough."""
VARIABLE = "KHUB_ACCESS"


def access_levels() -> list[str | int] | None:
    """Return the levels in `$KHUB_ACCESS` (a comma list), or None where it is not set and everything is shown.

    A level of digits stands for the number, too: `--meta access_level=2` is kept as one.

    :raises FilterError: if the variable is set and names no level: that must not open everything.
    """
    text = os.environ.get(VARIABLE)
    if text is None:
        return None
    levels = [level.strip() for level in text.split(",") if level.strip()]
    if not levels:
        raise FilterError(f"{VARIABLE} names no access level", "set it to levels (public,internal), or unset it")
    return [*levels, *(int(level) for level in levels if level.isdecimal() and len(level) < 10)]
