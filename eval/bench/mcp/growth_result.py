"""How a server grows."""

from typing import TypedDict

GrowthResult = TypedDict(  # one of its keys is no name
    "GrowthResult",
    {
        "graph": str,
        "queries": int,
        "looked_after": int,
        "first": dict[str, float],
        "last": dict[str, float],
        "grown_%": dict[str, float],
    },
)
"""Memory, descriptors and threads after the first questions and at the end, and by how many percent they are more."""
