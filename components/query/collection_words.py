"""The words that a collection's documents hold, as far as the caller may read them."""

from collections.abc import Iterable
from typing import Self

from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.errors import KhubError
from khub.components.question import Question
from khub.components.stores.bound_keywords import bound_keywords
from khub.components.stores.keyword_index import KeywordIndex
from khub.components.stores.replica import behind
from khub.components.text.chunk_text import indexed_text

LOOKED_AT = 30
"""So many passages that hold a term are read."""


class CollectionWords:
    """Looks words up in a collection's keyword index, and in the passages behind it.

    :param catalog: the hub's.
    :param name: of the collection.
    :param index: the collection's.
    """

    def __init__(self, catalog: Catalog, name: str, index: KeywordIndex) -> None:
        self._catalog, self._name, self._index = catalog, name, index

    @classmethod
    def of(cls, question: Question) -> Self | None:
        """Return the words of a question's collection; None where it has none, or the index cannot be used."""
        catalog = open_catalog()
        try:
            name = question.collection_name
            if not catalog.chunks.has_any(name):
                return None
            behind(catalog, name)  # a word that is new here is no slip of the pen
            return cls(catalog, name, bound_keywords(catalog, name))
        except KhubError:
            return None

    def holding(self, terms: Iterable[str]) -> dict[str, int]:
        """Return those of the terms that the index holds, each with the number of passages that hold it."""
        try:
            return self._index.holding(terms)
        except KhubError:  # of an engine that is away: the leg that searches it tells so
            return {}

    def texts_with(self, term: str) -> list[str]:
        """Return texts that hold a term and may be read."""
        try:
            found = self._index.search([term], LOOKED_AT)
        except KhubError:
            return []
        fetched = self._catalog.chunks.fetch(self._name, [chunk_id for chunk_id, _ in found])
        return [indexed_text(document) for document, _ in fetched.values()]
