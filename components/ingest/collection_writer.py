"""Write embedded chunks into a collection: catalog, dense index and keyword index as one."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from haystack import Document, component, default_to_dict
from haystack.core.component.types import Variadic

from khub.components.catalog.access import require_collection
from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.chunks import COLUMNS, NewDocument
from khub.components.catalog.collection_binding import CollectionBinding, EmbedderBinding
from khub.components.catalog.document_name import DocumentName
from khub.components.catalog.documents import DEGRADED_STAGES
from khub.components.catalog.picture import DocumentPicture
from khub.components.catalog.scanned_pages import NEEDS_OCR
from khub.components.catalog.stored_document import versions_of
from khub.components.catalog.write_access import closed_sources, told_closed, without_own_level
from khub.components.degraded_entry import DegradedEntry
from khub.components.embedders.static_model import StaticModel
from khub.components.embedders.static_part import static_part
from khub.components.enrichers.cache import open_cache
from khub.components.enrichers.near_duplicates import DUPLICATE_OF
from khub.components.errors import KhubError, StoreError
from khub.components.failed_file import FailedFile, failed_file
from khub.components.ingest.duplicate_chunks import still_stored, with_duplicates
from khub.components.ingest.kept_tokens import kept_tokens
from khub.components.ingest.mail_parts import gone_parts, is_mail, left_in_mail, silent_parts
from khub.components.ingest.write_report import WriteReport
from khub.components.stores.index_writer import IndexWriter
from khub.components.stores.store_template import StoreTemplate
from khub.components.text.tokenizer import TOKENIZER_VERSION
from khub.components.written_document import WrittenDocument

logger = logging.getLogger(__name__)

DAMAGED = "open and save it with the program that made it, or replace it"
OF_THE_CHUNK = frozenset(
    {
        "image_refs", "boxes", "parent", "parent_start", "parent_end", "symbols", "table_header", "table_caption",
        "page_breaks", "time_marks", "original", "refined", "refined_from", "captions", "also_in", "degraded",
    }
)  # fmt: skip
"""Metadata that describes a chunk, even where all chunks of a document agree on it."""


@component
class CollectionWriter:
    """Makes the documents of a batch visible one by one, and records the files that failed.

    Files attached to a mail that the mail has no more go before it becomes visible: so a mail that is known to be
    unchanged has exactly the documents that belong to it.

    The first batch binds the collection to this graph's store template, embedder and tokenizer; a later one with
    another embedder, store or tokenizer is refused.

    :param template: the document store, for all collections.
    :param keep_originals: keep a copy of each file, as long as a document is made from it: the pages that a citation
        names can then be shown although the file has gone or has changed; those of a file attached to a mail can be
        shown in no other way. Sources that are no files (rows of a table) have none. Without it no more copies are
        made; those that there are stay until their documents go.
    :param interaction_model: name or path of the static model by whose tokens `LateInteractionRanker` compares a
        question with passages. They are kept with each chunk (about 250 bytes), so that no question has to wait for
        them; where it is None, or another model than the ranker's, the ranker makes them itself.
    """

    def __init__(
        self, template: StoreTemplate, keep_originals: bool = True, interaction_model: str | None = "khub-fast"
    ) -> None:
        self.template = template
        self.keep_originals = keep_originals
        self.interaction_model = interaction_model
        self._static: StaticModel | None = None

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        return default_to_dict(
            self,
            template=self.template.to_dict(),
            keep_originals=self.keep_originals,
            interaction_model=self.interaction_model,
        )

    def warm_up(self) -> None:
        """Load the model of the tokens; later calls do nothing.

        :raises KhubError: when there is no such model, or when one of its files is missing or damaged.
        :raises GraphError: when it is no static model.
        """
        if self._static is None and self.interaction_model is not None:
            self._static = static_part(self.interaction_model, "CollectionWriter has interaction_model")

    @component.output_types(report=dict[str, Any], remaining=list[str])
    def run(  # noqa: PLR0913, PLR0917 - an input for each stage that hands it something
        self,
        documents: list[Document],
        embedder: dict[str, Any],
        collection: str,
        sources: list[dict[str, Any]],
        remaining: list[str] | None = None,
        pictures: list[DocumentPicture] | None = None,
        versions: dict[str, int] | None = None,
        duplicates: list[Document] | None = None,
        keys: dict[str, list[str]] | None = None,
        picture_embedder: dict[str, Any] | None = None,
        failed: Variadic[list[dict[str, Any]]] = (),  # type: ignore[valid-type, assignment]
    ) -> dict[str, Any]:
        """Write the chunks of a batch.

        :param documents: chunks with embeddings; those of one document stand together.
        :param embedder: what embedded them (`CachedEmbedder`).
        :param collection: name of the collection. It is made if it is new and there is something to write.
        :param sources: records of the files of the batch, to name those of which nothing came.
        :param remaining: paths that this batch did not reach.
        :param pictures: pictures of the documents; those of whole pages are not kept.
        :param versions: for chunks that were made from stored documents and not from files: `doc_id` -> version of the
            document. One that has been replaced or deleted meanwhile is not written.
        :param duplicates: chunks of the same documents that say what a stored chunk says (`NearDuplicates`): they need
            no embedding, and the indexes find them through that one.
        :param keys: of the chunks in `documents`, by chunk id, for later ones to find them.
        :param picture_embedder: what embedded the pictures (`PictureEmbedder`), if anything did.
        :param failed: failures of the stages before.
        :returns: `report`: `{collection, written: [{doc_id, source, pages, chunks}], failed: [...], degraded: [{stage,
            reason, source, chunks}]}` (in how many chunks of which file; without the last two what holds for all; with
            `pages` and `remedy` where pages of a file could not be read, or with `attachments` (some of the names),
            `count` and `remedy` where files attached to a mail were left out) and, if there are any, `removed`:
            sources of files that a mail has no more;
            `remaining`, as it was given.
        :raises CollectionError: if there is no such collection for the caller.
        :raises BindingError: if the collection was filled by another embedder, store or tokenizer, or its pictures were
            embedded by another one.
        :raises StoreError: if the store cannot be used. A collection that is new, and into which nothing came, is taken
            back.
        """
        require_collection(collection)
        self.warm_up()
        catalog = open_catalog()
        failures: list[FailedFile] = [failure for batch in failed for failure in batch]  # type: ignore[attr-defined, misc]
        new = _by_document(with_duplicates(documents, duplicates or []), collection, pictures or [])
        stored_as = {chunk.id: chunk.meta[DUPLICATE_OF] for chunk in duplicates or ()}
        new = [self._with_tokens(_as_stored(n, stored_as, keys or {})) for n in new]
        if self.keep_originals and versions is None:
            new = [replace(n, keep_original="sha256" in n.meta) for n in new]
        attached = silent_parts(catalog, new) if versions is None else []
        foreign = without_own_level(new) if versions is None else []
        failures += _silent([one["path"] for one in (*sources, *attached)], new, failures, set(remaining or ()))
        new = _without(new, foreign)
        gone: list[DocumentName] = []
        made = bool(new) and versions is None and not catalog.collections.exists(collection)
        if made:
            catalog.collections.create(collection)
        _record(catalog, collection, failures)
        if new or _is_unfinished(catalog, collection):
            kept = cast(EmbedderBinding, {key: value for key, value in embedder.items() if key != "replaced"})
            binding = CollectionBinding(store=self.template.to_dict(), embedder=kept, tokenizer=TOKENIZER_VERSION)
            if picture_embedder is not None:
                binding["pictures"] = cast(EmbedderBinding, picture_embedder)
            with IndexWriter(catalog, collection, self.template, binding).writing() as writer:
                new = new if versions is None else _not_replaced(catalog, new, versions)
                closed = closed_sources(catalog.database, collection, [n.meta["source"] for n in new])
                foreign += map(told_closed, closed)  # with the lock held: nobody closes one any more
                new, overtaken = still_stored(catalog, _without(new, foreign))
                gone = gone_parts(catalog, new) if versions is None else []
                try:
                    new, late = _write(catalog, writer, new, gone)
                except StoreError:
                    if made and not catalog.documents.of_collection(collection, "ready"):
                        writer.take_back()
                    raise
                overtaken = [*overtaken, *late]
            lost = [_overtaken(n) for n in overtaken]
            _record(catalog, collection, lost)
            failures += lost
        written: list[WrittenDocument] = [
            {
                "doc_id": n.doc_id,
                "source": n.meta["source"],
                "pages": n.meta.get("page_count"),
                "chunks": len(n.chunks),
            }
            for n in new
        ]
        degraded: list[DegradedEntry] = [
            {"stage": "embed", "reason": replaced} for replaced in (embedder.get("replaced"),) if replaced
        ]
        if picture_embedder is None and any(n.pictures for n in new):
            degraded += _without_vectors(catalog.collections.binding(collection))
        degraded += [entry for n in new for entry in _degraded(n)]
        degraded += [entry for n in new for entry in _unread(n)]
        degraded += [_not_kept(n) for n in new if n.keep_original and not catalog.originals.has(n.meta)]
        degraded += [entry for n in new for entry in left_in_mail(n)]
        report = WriteReport(collection=collection, written=written, failed=[*failures, *foreign], degraded=degraded)
        report |= {"removed": [row["source"] for row in gone]} if gone else {}
        return {"report": report, "remaining": list(remaining or ())}

    def renew_tokens(self, chunks: Sequence[Document]) -> None:
        """Keep the tokens of stored chunks, as those of new ones are kept: they may have another model's, or none.

        :param chunks: as the catalog gives them.
        """
        self.warm_up()
        if self._static is not None:
            open_catalog().token_rows.put(kept_tokens(chunks, self._static))

    def _with_tokens(self, new: NewDocument) -> NewDocument:
        if self._static is None:
            return new
        return replace(new, tokens=kept_tokens(new.chunks, self._static))


def _write(
    catalog: Catalog, writer: IndexWriter, new: list[NewDocument], gone: list[DocumentName]
) -> tuple[list[NewDocument], list[NewDocument]]:
    """Write documents, and take out those that a mail has no more, before the mail says so.

    :returns: what was written, and what was overtaken meanwhile.
    """
    if not gone:
        writer.write(new)
        return new, []
    others = [n for n in new if not is_mail(n)]
    writer.write(others)
    doc_ids = [row["doc_id"] for row in gone]
    open_cache(catalog.home).forget(doc_ids)
    writer.delete(doc_ids)
    mails, late = still_stored(catalog, [n for n in new if is_mail(n)])  # it may have been in one gone
    writer.write(mails)
    return [*others, *mails], late


def _not_replaced(catalog: Catalog, new: list[NewDocument], versions: dict[str, int]) -> list[NewDocument]:
    visible = versions_of(catalog, list(versions))
    return [n for n in new if n.doc_id in visible and visible[n.doc_id] == versions.get(n.doc_id)]


def _without(new: list[NewDocument], refused: list[FailedFile]) -> list[NewDocument]:
    sources = {one["source"] for one in refused}
    return [n for n in new if n.meta["source"] not in sources]


def _without_vectors(binding: CollectionBinding) -> list[DegradedEntry]:
    """Return an entry of the report where the collection's other pictures have vectors, and new ones get none."""
    if "pictures" not in binding:
        return []
    reason = "this graph has no PictureEmbedder: new pictures are found by their words and copies alone"
    return [{"stage": "pictures", "reason": reason, "remedy": "khub reindex with the graph that filled the collection"}]


def _record(catalog: Catalog, collection: str, failures: Iterable[FailedFile]) -> None:
    for failure in failures:
        catalog.documents.record_failure(collection, failure["source"], failure["error"], failure["remedy"])
        logger.warning("%s was not ingested: %s", failure["source"], failure["error"])


def _is_unfinished(catalog: Catalog, collection: str) -> bool:
    """Whether lost indexes wait for their repair: a killed ingest may have been at its last step."""
    if not catalog.collections.exists(collection):
        return False
    state = catalog.index_states.state(collection)
    return state.dirty or bool(state.damaged)


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


def _as_stored(new: NewDocument, stored_as: dict[str, str], keys: dict[str, list[str]]) -> NewDocument:
    ids = [chunk.id for chunk in new.chunks]
    return replace(
        new,
        duplicates={chunk_id: stored_as[chunk_id] for chunk_id in ids if chunk_id in stored_as},
        keys={chunk_id: keys[chunk_id] for chunk_id in ids if chunk_id in keys},
    )


def _overtaken(new: NewDocument) -> FailedFile:
    error = KhubError(
        "a document that has a passage of it was replaced or deleted meanwhile", "ingest it again", code="edit_conflict"
    )
    return failed_file(new.meta["source"], "write", error)


def _degraded(new: NewDocument) -> list[DegradedEntry]:
    counts = Counter((e["stage"], e["reason"]) for chunk in new.chunks for e in chunk.meta.get("degraded") or ())
    return [
        {"stage": stage, "reason": reason, "source": new.meta["source"], "chunks": chunks}
        for (stage, reason), chunks in counts.items()
    ]


def _unread(new: NewDocument) -> list[DegradedEntry]:
    garbled = list(new.meta.get("garbled_pages") or ())
    pictures = [page for page in new.meta.get("needs_ocr") or () if page not in garbled]
    errors = new.meta.get("ocr_errors")
    by_ocr = errors[0] if errors else NEEDS_OCR
    return [
        {
            "stage": "convert", "reason": reason, "remedy": remedy,
            "source": new.meta["source"], "chunks": len(new.chunks), "pages": pages,
        }
        for pages, reason, remedy in (
            (garbled, "left out, since its fonts do not say what the text means", by_ocr),
            (pictures, "words in pictures of whole pages were not read", by_ocr),
            (list(new.meta.get("damaged_pages") or ()), "left out, since it is damaged", DAMAGED),
        )
        if pages
    ]  # fmt: skip


def _not_kept(new: NewDocument) -> DegradedEntry:
    reason = "no copy of the file is kept: it could not be read again, has changed meanwhile, or found no room"
    return {"stage": "keep", "reason": reason, "source": new.meta["source"], "chunks": len(new.chunks)}


def _silent(
    sources: list[str], new: list[NewDocument], failures: list[FailedFile], remaining: set[str]
) -> list[FailedFile]:
    """Files that were converted without an error and gave no text: never an empty success."""
    heard = {n.meta["source"] for n in new} | {f["source"] for f in failures} | remaining
    error = KhubError(
        "no text was found in it", "check that the file is not empty or a picture only", code="source_without_text"
    )
    return [failed_file(source, "split", error) for source in sources if source not in heard]
