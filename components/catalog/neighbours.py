"""The chunks around a chunk."""

from collections.abc import Sequence

from haystack import Document

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.visible_chunks import VISIBLE


def neighbours(
    catalog: Catalog, collection: str, places: Sequence[tuple[str, int]], reach: int
) -> dict[tuple[str, int], list[Document]]:
    """Return the chunks next to each place, and the chunk there itself: those that this process may show.

    :param catalog: the hub's.
    :param collection: its name.
    :param places: document id and ordinal of each.
    :param reach: so many chunks on each side.
    :returns: place -> chunks in reading order, fewer where the document begins or ends.
    """
    ids = {place: _ids(catalog, *place, reach) for place in places}
    shown = catalog.chunks.fetch(collection, list(dict.fromkeys(i for found in ids.values() for i in found)))
    return {place: [shown[i][0] for i in found if i in shown] for place, found in ids.items()}


def _ids(catalog: Catalog, doc_id: str, ordinal: int, reach: int) -> list[str]:
    rows = catalog.database.rows(
        f"SELECT c.chunk_id FROM {VISIBLE} WHERE c.doc_id = ? AND c.ordinal BETWEEN ? AND ? ORDER BY c.ordinal",
        (doc_id, ordinal - reach, ordinal + reach),
    )
    return [row[0] for row in rows]
