"""Cosines on their way through a query graph, cheap to copy."""

from typing import Any


class Cosines(dict[str, float]):
    """Chunk id -> cosine, from -1 to 1; a deep copy is a copy of the dict, since numbers need none.

    Haystack copies all that goes into a component, deeply, one number after the other otherwise.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> "Cosines":
        return Cosines(self)
