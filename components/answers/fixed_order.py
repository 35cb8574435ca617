"""One order for passages of equal score."""

from collections.abc import Iterable
from itertools import groupby

from haystack import Document


def in_fixed_order(documents: list[Document]) -> list[Document]:
    """Order equal scores by id where no ranker has: a joiner orders them by which leg was first.

    :param documents: passages, best first; those of a ranker carry `meta["ranks"]`.
    :returns: the same passages.
    """
    if any("ranks" in document.meta for document in documents):
        return documents
    ties: Iterable[list[Document]] = (list(group) for _, group in groupby(documents, key=lambda d: d.score))
    return [document for tie in ties for document in sorted(tie, key=lambda d: d.id)]
