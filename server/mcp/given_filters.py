"""The filter of a tool's call."""

from collections.abc import Sequence
from typing import Any


def given_filters(conditions: Sequence[str | dict[str, Any]] | None) -> dict[str, Any] | None:
    """Return conditions as one Haystack filter; None for none.

    :param conditions: each as `khub.server.library.filter_text` reads it, or as a Haystack filter.
    :raises FilterError: naming the one that does not parse.
    """
    from khub.components.query.short_filters import all_of
    from khub.server.library.filter_text import parse_filter

    found = [parse_filter(one) if isinstance(one, str) else one for one in conditions or () if one]
    return all_of(found) if found else None
