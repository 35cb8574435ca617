"""Who may read what: the access levels that this process shows, set by whoever runs it and by no caller."""

import json
import os
from typing import Any

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


def levels_key(value: Any) -> str:
    """Return the value of `access_level` as text that is equal for equal sets of levels; empty for none.

    Whoever may see a passage with one value may see one with the other exactly where these texts are equal, or seems
    not to (`2` and `"2"` are two levels here).
    """
    if value is None:
        return ""
    levels = value if isinstance(value, list) else [value]
    return json.dumps(sorted({json.dumps(level, ensure_ascii=False, default=str) for level in levels}))
