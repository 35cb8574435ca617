"""The filter of a tool's call."""

from collections.abc import Sequence
from typing import Any


def given_filters(conditions: Sequence[str | dict[str, Any]] | None, collection: str | None) -> dict[str, Any] | None:
    """Return conditions as one Haystack filter; None for none.

    :param conditions: each as `server.library.filter_text` reads it, or as a Haystack filter.
    :param collection: the one that is named; None where any could be meant.
    :raises FilterError: naming the one that does not parse, or a field that no document has.
    """
    from components.catalog.known_fields import require_known_fields
    from components.query.short_filters import all_of
    from server.library.filter_text import parse_filter
    from server.reads.hub_reads import catalog_of_hub, collections

    found = [parse_filter(one) if isinstance(one, str) else one for one in conditions or () if one]
    filters = all_of(found) if found else None
    names = [name for name in collections().names() if collection in (None, name)]
    require_known_fields(catalog_of_hub().database, names, filters)
    return filters
