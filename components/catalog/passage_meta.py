"""Metadata of a passage on its way through a query graph, cheap to copy."""

from typing import Any


class PassageMeta(dict[str, Any]):
    """A dict whose deep copy is a copy of its first level: what lies in it is shared and never changed in place.

    Haystack copies all that goes into a component, deeply, and again for the tracer: about two hundred passages twice
    for one question. Most of that time went into lists and dicts that nobody changes. A component that sets or removes
    a field still changes only its own copy.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> "PassageMeta":
        return PassageMeta(self)
