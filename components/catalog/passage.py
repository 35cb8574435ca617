"""A stored chunk on its way through a query graph, cheap to copy.

Haystack copies all that goes into a component, deeply, and again for the tracer: about three hundred passages for one
question. Most of that time went into what nobody changes.
"""

from typing import Any, TypeVar

from haystack import Document

AnyDocument = TypeVar("AnyDocument", bound=Document)


class PassageMeta(dict[str, Any]):
    """A dict whose deep copy is a copy of its first level: what lies in it is shared and never changed in place.

    A component that sets or removes a field changes only its own copy.
    """

    def __deepcopy__(self, memo: dict[int, Any]) -> "PassageMeta":
        return PassageMeta(self)


class Passage(Document):
    """A document whose deep copy has fields and metadata (`PassageMeta`) of its own, and shares what lies in them."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "Passage":
        return changed(self, meta=PassageMeta(self.meta))


def changed(document: AnyDocument, **fields: Any) -> AnyDocument:
    """Return a copy of a document with some fields new; all others are shared, and the document is left as it is.

    `dataclasses.replace` does the same in many times as long, and a question has hundreds of these copies.

    :param document: the document.
    :param fields: field -> its new value.
    """
    copied = object.__new__(type(document))
    vars(copied).update(vars(document), **fields)
    return copied


BLANK = Passage(id="-")
"""What stored rows are made from by `changed`: Haystack's own way to build a document takes longer than reading it."""
