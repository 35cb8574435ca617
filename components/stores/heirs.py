"""Which duplicates take the place of stored chunks that are about to go."""

from collections.abc import Sequence

from khub.components.catalog.access import ACCESS_FIELD, levels_key
from khub.components.catalog.catalog import Catalog
from khub.components.catalog.chunks import NewDocument


def heirs(catalog: Catalog, doc_ids: Sequence[str], new: NewDocument | None = None) -> dict[str, str]:
    """Return the first duplicate in another document of each stored chunk that documents are about to lose.

    :param doc_ids: documents that are about to go or to change; duplicates in these inherit nothing.
    :param new: what one of them is about to become. A chunk that it keeps is lost to the others all the same where
        `$KHUB_ACCESS` will treat it otherwise.
    :returns: stored chunk -> the duplicate, oldest first.
    """
    leaving = set(doc_ids)
    access = {chunk.id: levels_key(chunk.meta.get(ACCESS_FIELD)) for chunk in new.indexed} if new else {}
    found: dict[str, str] = {}
    for doc_id in doc_ids:
        for stored, twins in catalog.duplicates.of_document(doc_id).items():
            left = [twin for twin in twins if twin.doc_id not in leaving]
            if left and access.get(stored) != left[0].access:
                found[stored] = left[0].chunk_id
    return found
