"""Cosines on their way through a query graph, cheap to copy."""

from collections import UserDict


class Cosines(UserDict[str, float]):
    """Chunk id -> cosine, from -1 to 1; a deep copy is a copy of the first level, since numbers need none.

    Haystack copies all that goes into a component, deeply. A dict's values it copies one after the other, each in
    several microseconds, whatever the dict's own class says: hence this is none.
    """

    def __deepcopy__(self, memo: dict[int, object]) -> "Cosines":
        return Cosines(self.data)
