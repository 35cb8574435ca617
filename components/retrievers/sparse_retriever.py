"""Keyword leg: BM25 over the collection's tantivy index."""

from dataclasses import replace
from typing import Any

from haystack import Document, component

from components.catalog.catalog import open_catalog
from components.errors import GraphError, QueryError
from components.retrievers.leg_report import LEGS, left_out, report, wanted
from components.stores.open_indexes import sparse_reader
from components.stores.sparse_index import ID_FILTER_LIMIT

MORE = 4  # how much further to look each time invisible or filtered chunks used up the places


@component
class SparseRetriever:
    """Finds chunks by the question's terms.

    :param top_k: number of chunks to return, 1 or more.
    :raises GraphError: when `top_k` is below 1.
    """

    def __init__(self, top_k: int = 30) -> None:
        if top_k < 1:
            raise GraphError(f"SparseRetriever has top_k={top_k}", "give 1 or more")
        self.top_k = top_k

    @component.output_types(documents=list[Document], leg=dict)
    def run(
        self,
        terms: list[str],
        collection: str | None = None,
        filters: dict[str, Any] | None = None,
        legs: list[str] | None = None,
    ) -> dict[str, Any]:
        """Search the keyword index.

        :param terms: tokens of the question, as `components.text.tokenizer` makes them.
        :param collection: name of the collection; the only one, or `default`, if None.
        :param filters: a Haystack metadata filter.
        :param legs: legs that the caller wants, None for all.
        :returns: `documents` with `score` = BM25 > 0, best first; `leg` with `coverage`, the share of the terms that
            the index knows, and `rarity`, the inverse document frequency of each (not where a filter is given).
        :raises StoreError: if the index cannot be used.
        """
        check_legs(legs)
        if not wanted("sparse", legs):
            return left_out("sparse", "left out by the caller")
        catalog = open_catalog()
        name = catalog.collections.resolve(collection)
        matching = catalog.chunks.matching(name, filters) if filters else None
        if not terms:
            return left_out("sparse", "the question holds no words")
        if matching == [] or not catalog.chunks.count(name):
            return {"documents": [], "leg": report("sparse", 0, "no chunk to search", coverage=0.0)}
        index = sparse_reader(catalog, name).get()
        only = matching if matching is not None and len(matching) <= ID_FILTER_LIMIT else None
        allowed = set(matching) if matching is not None and only is None else None
        places = self.top_k
        while True:
            hits = index.search(terms, places, only)
            found = catalog.chunks.fetch(name, [i for i, _ in hits if allowed is None or i in allowed])
            documents = [replace(found[i][0], score=score) for i, score in hits if i in found][: self.top_k]
            if len(documents) == self.top_k or len(hits) < places:
                break
            places *= MORE
        # what is known of the words is known of the whole index, which a filter has only a part of
        words: dict[str, Any] = {"rarity": index.rarity(terms)} if matching is None else {}
        return {
            "documents": documents,
            "leg": report("sparse", len(documents), coverage=index.coverage(terms), **words),
        }


def check_legs(legs: list[str] | None) -> None:
    """Refuse names of legs that do not exist.

    :raises QueryError: naming the unknown leg.
    """
    unknown = [leg for leg in legs or () if leg not in LEGS]
    if unknown or legs == []:
        raise QueryError(
            f"leg {unknown[0]!r} is unknown" if unknown else "no leg is wanted", f"name some of: {', '.join(LEGS)}"
        )
