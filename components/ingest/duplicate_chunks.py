"""Chunks that say what a stored chunk says, on their way into the catalog."""

from collections.abc import Sequence
from dataclasses import replace

from haystack import Document

from khub.components.catalog.access import ACCESS_FIELD, levels_key
from khub.components.catalog.catalog import Catalog
from khub.components.catalog.chunks import NewDocument
from khub.components.embedders.cached_embedder import text_hash
from khub.components.enrichers.near_duplicates import DUPLICATE_OF
from khub.components.text.chunk_text import embedded_text


def with_duplicates(documents: Sequence[Document], duplicates: Sequence[Document]) -> list[Document]:
    """Return the chunks of each document in their order, those that are stored and those that are not.

    :param documents: chunks with embeddings.
    :param duplicates: chunks without, from `NearDuplicates`; they get the hash of the text that would be embedded.
    :returns: documents that have something to store stay in their order, and a duplicate's stored chunk is in its own
        document or in one before: the others stand at the end.
    """
    if not duplicates:
        return list(documents)
    hashed = [_without_vector(chunk) for chunk in duplicates]
    places = {doc_id: place for place, doc_id in enumerate(dict.fromkeys(c.meta["doc_id"] for c in documents))}
    return sorted(
        [*documents, *hashed], key=lambda c: (places.setdefault(c.meta["doc_id"], len(places)), c.meta["ordinal"])
    )


def still_stored(catalog: Catalog, new: Sequence[NewDocument]) -> tuple[list[NewDocument], list[NewDocument]]:
    """Part the documents whose duplicates all have their stored chunk from those that somebody has overtaken.

    Ask with the writer's lock held. The chunk has to be visible and no duplicate itself, or to come with a document
    before or with the same one; and `$KHUB_ACCESS` has to treat both alike.

    :param new: in the order in which they will be written.
    :returns: those that can be written, and those that cannot.
    """
    if not any(one.duplicates for one in new):
        return list(new), []
    coming = {one.doc_id for one in new}
    held = catalog.duplicates.held(list({stored for one in new for stored in one.duplicates.values()}))
    access = {twin.chunk_id: twin.access for twin in held.values() if twin.doc_id not in coming}
    fitting: list[NewDocument] = []
    overtaken: list[NewDocument] = []
    for one in new:
        with_own = access | {chunk.id: _access(chunk) for chunk in one.indexed}
        chunks = {chunk.id: chunk for chunk in one.chunks}
        if all(with_own.get(stored) == _access(chunks[chunk_id]) for chunk_id, stored in one.duplicates.items()):
            fitting.append(one)
            access = with_own
        else:
            overtaken.append(one)
    return fitting, overtaken


def _without_vector(chunk: Document) -> Document:
    meta = {key: value for key, value in chunk.meta.items() if key != DUPLICATE_OF}
    return replace(chunk, embedding=None, meta={**meta, "text_hash": text_hash(embedded_text(chunk))})


def _access(chunk: Document) -> str:
    return levels_key(chunk.meta.get(ACCESS_FIELD))
