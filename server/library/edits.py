"""Edit what is said of a document: its title, and metadata of all its chunks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from haystack import Document, Pipeline

from khub.components.allowed_modules import allowed_modules
from khub.components.catalog.access import ACCESS_FIELD, require_collection
from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.collection_binding import CollectionBinding
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.filters import is_key
from khub.components.catalog.found_metadata import FOUND, GIVEN
from khub.components.catalog.stored_document import StoredContent, read_content
from khub.components.catalog.write_access import refuse_closed, refuse_other_levels
from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.errors import KhubError, MetadataError
from khub.components.ingest.collection_writer import OF_THE_CHUNK, CollectionWriter
from khub.components.stores.bound_parts import bound_parts
from khub.server.library.ingest import refuse_reserved
from khub.server.library.part_levels import parts_to_follow, refuse_wider
from khub.server.reads.hub_reads import KEPT_BACK

MODEL_OF_TOKENS = "khub-fast"


class EditError(KhubError):
    """A document that cannot be edited as it is now."""

    code = "edit_conflict"


@dataclass(frozen=True)
class Edited:
    """What an edit has changed.

    :param changed: `title` and keys of metadata.
    :param rewritten: chunks that went through the writer, as a new version of the document; 0 where metadata alone was
        changed in place.
    """

    changed: tuple[str, ...]
    rewritten: int


def edit_document(row: DocumentRow, title: str | None, meta: Mapping[str, Any]) -> Edited:
    """Edit a document; a question that begins afterwards sees it so.

    Metadata lies in the catalog alone and is changed in place. The title is part of what is embedded, and the indexes
    may hold one chunk for several that may be read by the same levels: a new title or new levels write the document
    anew, from what is stored; no file is read, and nothing is embedded of which the text stays. New levels of a mail
    are those of the files attached to it, too, unless these have narrower ones of their own.

    :param row: of the document, from the catalog.
    :param title: None for the one that it has.
    :param meta: key -> value for all its chunks; None takes the key away.
    :raises ClosedError: if a part of it is closed to the caller.
    :raises MetadataError: if a key or a level cannot be given by the caller.
    :raises EditError: if nothing of it was ever read, or it was replaced or deleted meanwhile.
    """
    catalog = open_catalog()
    require_collection(row["collection"])
    refuse_closed(catalog.database, row["collection"], [row["source"]])
    refuse_reserved(meta)
    for key in meta:
        if key in OF_THE_CHUNK or key in KEPT_BACK or not is_key(key):
            raise MetadataError(
                f"metadata {key!r} cannot be given", "choose another name for it", code="metadata_reserved"
            )
    if ACCESS_FIELD in meta:
        refuse_other_levels(meta[ACCESS_FIELD])
    retitled = title is not None and title != row["title"]
    changed = tuple(key for key, value in meta.items() if key == ACCESS_FIELD or row["meta"].get(key) != value)
    edited = ("title", *changed) if retitled else changed
    if not edited:
        return Edited((), 0)
    followers: list[DocumentRow] = []
    if ACCESS_FIELD in changed:
        refuse_wider(catalog, row, meta[ACCESS_FIELD])
        followers = parts_to_follow(catalog, row, meta[ACCESS_FIELD])
    changes = {key: meta[key] for key in changed}
    if found := [key for key in row["meta"].get(FOUND) or () if key in edited]:  # a person says so now
        changes[FOUND] = [key for key in row["meta"][FOUND] if key not in found] or None
    if changes:
        words = {**{key: row["meta"].get(key) for key in changed}, **row["meta"].get(GIVEN, {})}
        changes[GIVEN] = {
            key: word for key, word in words.items() if changes.get(key, row["meta"].get(key)) is not None
        }
    if not retitled and ACCESS_FIELD not in changed:
        catalog.documents.change_meta(row["doc_id"], changes)
        return Edited(edited, 0)
    rewritten = sum(_rewrite(catalog, one, one["title"], {ACCESS_FIELD: meta[ACCESS_FIELD]}) for one in followers)
    return Edited(edited, rewritten + _rewrite(catalog, row, title if retitled else row["title"], changes))


def _rewrite(catalog: Catalog, row: DocumentRow, title: str | None, changes: Mapping[str, Any]) -> int:
    doc_id, collection = row["doc_id"], row["collection"]
    content = read_content(catalog, doc_id)
    if content is None:
        raise EditError(f"nothing of document {doc_id!r} was read", "ingest it again")
    binding = catalog.collections.binding(collection)
    template = bound_parts(binding)[1]  # refuses what the catalog of somebody else would load
    embedder = _embedder_of(binding)
    embedder.warm_up()
    embedded = embedder.run(_edited(catalog, content, title, changes))
    kept = catalog.database.row(
        "SELECT 1 FROM chunks WHERE doc_id = ? AND version = ? AND tokens IS NOT NULL LIMIT 1",
        (doc_id, content.version),
    )
    writer = CollectionWriter(template, keep_originals=False, interaction_model=MODEL_OF_TOKENS if kept else None)
    report = writer.run(
        documents=embedded["documents"],
        embedder=embedded["embedder"],
        collection=collection,
        sources=[{"path": row["source"]}],
        remaining=[row["source"]],
        pictures=content.pictures,
        versions={doc_id: content.version},
    )["report"]
    if not report["written"]:
        raise EditError(f"document {doc_id!r} was replaced or deleted meanwhile", "read it again, and edit that")
    catalog.documents.keep_state(doc_id, row)
    return len(content.chunks)


def _edited(catalog: Catalog, content: StoredContent, title: str | None, changes: Mapping[str, Any]) -> list[Document]:
    stored = catalog.duplicates.read([chunk.id for chunk in content.chunks])
    chunks = []
    for chunk in content.chunks:
        of_the_run = {key: value for key, value in stored[chunk.id].meta.items() if key == "degraded"}
        meta = {**chunk.meta, **of_the_run, **changes, "title": title}
        chunks.append(replace(chunk, meta={key: value for key, value in meta.items() if value is not None}))
    return chunks


def _embedder_of(binding: CollectionBinding) -> CachedEmbedder:
    """Return the embedder that filled a collection."""
    of_it = {"embedder": binding["embedder"]["component"]}
    part = {"type": "khub.components.embedders.cached_embedder.CachedEmbedder", "init_parameters": of_it}
    graph = {"components": {"embed": part}, "connections": []}
    embedder: Any = Pipeline.from_dict(graph, allowed_modules=allowed_modules()).get_component("embed")
    found: CachedEmbedder = embedder
    return found
