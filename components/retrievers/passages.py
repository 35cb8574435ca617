"""From what an index finds to the passages that are shown for it: one that is stored may stand for several."""

from collections.abc import Sequence

import numpy as np
from haystack import Document

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.passage import PassageMeta, changed
from khub.components.catalog.passage_place import PassagePlace

MOST_PLACES = 100
"""Further documents that are named for one passage: a footer may stand in thousands."""


class Passages:
    """The passages of a collection among which a question is answered.

    :param catalog: the hub's.
    :param collection: its name.
    :param matching: ids of the chunks that a filter keeps and `$KHUB_ACCESS` opens; None where nothing restricts them.
    """

    def __init__(self, catalog: Catalog, collection: str, matching: list[str] | None) -> None:
        self._catalog, self._collection = catalog, collection
        stored_as = catalog.duplicates.of_collection(collection)
        self._matching = set(matching) if matching is not None and stored_as else None
        self._twins: dict[str, list[str]] = {}
        for chunk_id, stored in stored_as.items():
            if self._matching is None or chunk_id in self._matching:
                self._twins.setdefault(stored, []).append(chunk_id)
        self.searched = matching
        """Ids of the chunks that an index holds for those that match; None for all."""
        if matching is not None and stored_as:
            self.searched = list(dict.fromkeys(stored_as.get(chunk_id, chunk_id) for chunk_id in matching))

    def fetch(
        self, chunk_ids: Sequence[str], fingerprint: str | None = None
    ) -> dict[str, tuple[Document, np.ndarray | None]]:
        """Return what is shown for chunks that an index has found, with their vectors where a fingerprint is given.

        That is the chunk itself, or else the first of its duplicates that matches; where the others are that match
        stands in `meta.also_in` (list of `{doc_id, source, title, page}`).

        :returns: by id of the chunk that was found.
        :raises FilterError: if `$KHUB_ACCESS` is set and names no level.
        """
        groups = {chunk_id: self._group(chunk_id) for chunk_id in chunk_ids}
        if not any(len(group) > 1 or group[:1] != [chunk_id] for chunk_id, group in groups.items()):
            return self._catalog.chunks.fetch(self._collection, chunk_ids, fingerprint)
        everything = list(dict.fromkeys(one for group in groups.values() for one in group))
        places = self._catalog.duplicates.places(everything)
        groups = {chunk_id: [one for one in group if one in places] for chunk_id, group in groups.items()}
        shown = {chunk_id: group[0] for chunk_id, group in groups.items() if group}
        rows = self._catalog.chunks.fetch(self._collection, list(shown.values()), fingerprint)
        vectors: dict[str, np.ndarray] = {}
        if fingerprint:
            inherited = [chunk_id for chunk_id, one in shown.items() if one != chunk_id]
            vectors = self._catalog.vectors.of_chunks(self._collection, inherited, fingerprint)
        found: dict[str, tuple[Document, np.ndarray | None]] = {}
        for chunk_id, one in shown.items():
            if one in rows:
                document, vector = rows[one]
                others = [places[other] for other in groups[chunk_id][1:]]
                found[chunk_id] = (_also_in(document, places[one], others), vectors.get(chunk_id, vector))
        return found

    def _group(self, chunk_id: str) -> list[str]:
        own = [chunk_id] if self._matching is None or chunk_id in self._matching else []
        return [*own, *self._twins.get(chunk_id, [])][: MOST_PLACES + 1]


def _also_in(document: Document, own: PassagePlace, others: list[PassagePlace]) -> Document:
    distinct = [place for index, place in enumerate(others) if place != own and place not in others[:index]]
    return changed(document, meta=PassageMeta(document.meta, also_in=distinct)) if distinct else document
