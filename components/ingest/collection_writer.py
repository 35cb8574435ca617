"""Write embedded chunks into a collection: catalog, dense index and keyword index as one."""

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from haystack import Document, component, default_to_dict
from haystack.core.component.types import Variadic

from components.catalog.catalog import open_catalog
from components.catalog.chunks import COLUMNS, NewDocument
from components.catalog.documents import DEGRADED_STAGES
from components.catalog.stored_document import versions_of
from components.converters.picture import DocumentPicture
from components.errors import KhubError
from components.stores.index_writer import IndexWriter
from components.stores.store_template import StoreTemplate
from components.text.tokenizer import TOKENIZER_VERSION

logger = logging.getLogger(__name__)

OF_THE_CHUNK = frozenset(
    {
        "image_refs", "boxes", "parent", "parent_start", "parent_end", "symbols", "table_header",
        "original", "refined", "refined_from", "captions", "also_in", "degraded",
    }
)  # fmt: skip
"""Metadata that describes a chunk, even where all chunks of a document agree on it."""


@component
class CollectionWriter:
    """Makes the documents of a batch visible one by one, and records the files that failed.

    The first batch binds the collection to this graph's store template, embedder and tokenizer; a later one with
    another embedder, store or tokenizer is refused.

    :param template: the document store, for all collections.
    :param keep_originals: keep a copy of each file, as long as a document is made from it: the pages that a citation
        names can then be shown although the file has gone or has changed. Sources that are no files (rows of a table)
        have none. Without it no more copies are made; those that there are stay until their documents go.
    """

    def __init__(self, template: StoreTemplate, keep_originals: bool = True) -> None:
        self.template = template
        self.keep_originals = keep_originals

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(self, template=self.template.to_dict(), keep_originals=self.keep_originals)

    @component.output_types(report=dict[str, Any], remaining=list[str])
    def run(
        self,
        documents: list[Document],
        embedder: dict[str, Any],
        collection: str,
        sources: list[dict[str, Any]],
        remaining: list[str] | None = None,
        pictures: list[DocumentPicture] | None = None,
        versions: dict[str, int] | None = None,
        failed: Variadic[list[dict[str, Any]]] = (),  # type: ignore[valid-type, assignment]
    ) -> dict[str, Any]:
        """Write the chunks of a batch.

        :param documents: chunks with embeddings; those of one document stand together.
        :param embedder: what embedded them (`CachedEmbedder`).
        :param collection: name of the collection.
        :param sources: records of the files of the batch, to name those of which nothing came.
        :param remaining: paths that this batch did not reach.
        :param pictures: pictures of the documents; those of whole pages are not kept.
        :param versions: for chunks that were made from stored documents and not from files: `doc_id` -> version of the
            document. One that has been replaced or deleted meanwhile is not written.
        :param failed: failures of the stages before.
        :returns: `report`: `{collection, written: [{doc_id, source, pages, chunks}], failed: [...], degraded: [{stage,
            reason, source, chunks}]}` (in how many chunks of which file; without the last two what holds for all);
            `remaining`, as it was given.
        :raises BindingError: if the collection was filled by another embedder, store or tokenizer.
        """
        catalog = open_catalog()
        failures = [failure for batch in failed for failure in batch]  # type: ignore[attr-defined]
        new = _by_document(documents, collection, pictures or [])
        if self.keep_originals and versions is None:
            new = [replace(n, keep_original="sha256" in n.meta) for n in new]
        failures += _silent(sources, new, failures, set(remaining or ()))
        for failure in failures:
            catalog.documents.record_failure(collection, failure["source"], failure["error"], failure["remedy"])
            logger.warning("%s was not ingested: %s", failure["source"], failure["error"])
        state = catalog.collections.state(collection)
        # nothing new is no reason to leave lost indexes as they are: a killed ingest may have been at its last step
        if new or state.dirty or state.damaged:
            kept = {key: value for key, value in embedder.items() if key != "replaced"}
            binding = {"store": self.template.to_dict(), "embedder": kept, "tokenizer": TOKENIZER_VERSION}
            with IndexWriter(catalog, collection, self.template, binding).writing() as writer:
                if versions is not None:
                    visible = versions_of(catalog, list(versions))
                    new = [n for n in new if n.doc_id in visible and visible[n.doc_id] == versions.get(n.doc_id)]
                writer.write(new)
        written = [
            {
                "doc_id": n.doc_id,
                "source": n.meta["source"],
                "pages": n.meta.get("page_count"),
                "chunks": len(n.chunks),
            }
            for n in new
        ]
        replaced = embedder.get("replaced")
        degraded: list[dict[str, Any]] = [{"stage": "embed", "reason": replaced}] if replaced else []
        degraded += [entry for n in new for entry in _degraded(n)]
        degraded += [_not_kept(n) for n in new if n.keep_original and not catalog.originals.has(n.meta)]
        report = {"collection": collection, "written": written, "failed": failures, "degraded": degraded}
        return {"report": report, "remaining": list(remaining or ())}


def _by_document(
    documents: Iterable[Document], collection: str, pictures: Iterable[DocumentPicture]
) -> list[NewDocument]:
    groups: dict[str, list[Document]] = {}
    for document in documents:
        groups.setdefault(document.meta["doc_id"], []).append(document)
    shown: dict[str, list[DocumentPicture]] = {}
    for picture in pictures:
        shown.setdefault(picture.doc_id, []).append(picture)
    return [_new_document(doc_id, collection, chunks, shown.get(doc_id, [])) for doc_id, chunks in groups.items()]


def _new_document(doc_id: str, collection: str, chunks: list[Document], pictures: list[DocumentPicture]) -> NewDocument:
    first = chunks[0].meta
    common = {
        key: value
        for key, value in first.items()
        if key not in COLUMNS
        and key not in OF_THE_CHUNK
        and all(key in c.meta and c.meta[key] == value for c in chunks)
    }
    if stages := sorted({entry["stage"] for chunk in chunks for entry in chunk.meta.get("degraded") or ()}):
        common[DEGRADED_STAGES] = stages
    return NewDocument(doc_id, collection, first, common, chunks, pictures)


def _degraded(new: NewDocument) -> list[dict[str, Any]]:
    counts = Counter((e["stage"], e["reason"]) for chunk in new.chunks for e in chunk.meta.get("degraded") or ())
    return [
        {"stage": stage, "reason": reason, "source": new.meta["source"], "chunks": chunks}
        for (stage, reason), chunks in counts.items()
    ]


def _not_kept(new: NewDocument) -> dict[str, Any]:
    reason = "no copy of the file is kept: it could not be read again, or has changed meanwhile"
    return {"stage": "keep", "reason": reason, "source": new.meta["source"], "chunks": len(new.chunks)}


def _silent(
    sources: list[dict[str, Any]], new: list[NewDocument], failures: list[dict[str, Any]], remaining: set[str]
) -> list[dict[str, Any]]:
    """Files that were converted without an error and gave no text: never an empty success."""
    heard = {n.meta["source"] for n in new} | {f["source"] for f in failures} | remaining
    error = KhubError("no text was found in it", "check that the file is not empty or a picture only")
    return [
        {"source": s["path"], "stage": "split", "error": error.message, "remedy": error.remedy}
        for s in sources
        if s["path"] not in heard
    ]
