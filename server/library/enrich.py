"""Add the enrichment stages of a graph to a collection that is there already, without reading its files again."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from haystack import Document

from components.catalog.catalog import open_catalog
from components.catalog.stored_document import (
    StoredContent,
    StoredDocument,
    read_content,
    stored_documents,
    versions_of,
)
from components.enrichers.cache import open_cache
from components.enrichers.document_metadata import without_found
from components.enrichers.llm_metadata_enricher import LLMMetadataEnricher
from components.enrichers.metadata_enricher import MetadataEnricher
from components.errors import BindingError, CollectionError, GraphError, KhubError, SourceError, StoreError
from components.stores.binding import check_binding
from server.graphs.load import Graph, load_graph
from server.graphs.run import run_graph
from server.library.enrichment_graph import enrichment_graph
from server.library.enrichment_stages import stages_behind_splitter
from server.library.ingest import binding_of
from server.library.recipe import enriched_recipe, recipe_of
from server.library.source_pattern import is_meant

GRAPH = "more/ingest_llm"
BATCH_CHUNKS = 64
"""So many chunks, or one document, go through the stages together: what is done is seen, and kept, that often."""


@dataclass(frozen=True)
class EnrichPlan:
    """What an enrichment is about to do.

    :param graph: the graph that was named.
    :param stages: names of its stages between splitter and embedder.
    :param models: those among them that ask a model.
    :param recipe: the graph's.
    :param waiting: documents that have not gone through these stages, or not without something that stood in.
    :param unchanged: sources of those that have.
    """

    collection: str
    graph: Graph
    stages: list[str]
    models: list[str]
    recipe: str
    waiting: list[StoredDocument]
    unchanged: list[str]

    @property
    def chunks(self) -> int:
        """How many chunks wait: of a document that has gone through the stages, those in which something stands in."""
        return sum(d.degraded_chunks if self.has_gone_through(d) else d.chunks for d in self.waiting)

    @property
    def pictures(self) -> int:
        """How many pictures the documents have that have not gone through the stages."""
        return sum(d.pictures for d in self.waiting if not self.has_gone_through(d))

    def has_gone_through(self, document: StoredDocument) -> bool:
        """Say whether a document's chunks come out of these stages, whatever stood in for a model."""
        return document.recipe == enriched_recipe(document.recipe, self.recipe)


@dataclass
class EnrichResult:
    """What became of the documents.

    :param stages: names of the stages through which they went.
    :param written: `{doc_id, source, pages, chunks}` of those that were enriched.
    :param unchanged: sources of those that had been already.
    :param overtaken: sources of those that were ingested anew or deleted meanwhile; nothing of them was written.
    :param failed: `{source, stage, error, remedy}`.
    :param degraded: `{stage, reason, source, chunks}`: in how many chunks of a document something simpler stands in.
    """

    collection: str
    graph: str
    stages: list[str]
    written: list[dict[str, Any]] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    overtaken: list[str] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)
    degraded: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0


def plan_enrich(collection: str | None = None, graph_name: str = GRAPH, patterns: Sequence[str] = ()) -> EnrichPlan:
    """Find the documents that have not gone through the enrichment stages of a graph; nothing is written.

    :param collection: its name; the only one or `default` if None.
    :param graph_name: graph of kind `ingest`. What it does before and with its splitter does not matter.
    :param patterns: which documents are meant (see `server.library.source_pattern.is_meant`); all if there are none.
    :raises CollectionError: if there is no such collection, or nothing in it.
    :raises GraphError: if the graph has no enrichment stage or cannot be used.
    :raises BindingError: if the collection was filled by another embedder, tokenizer or store.
    :raises SourceError: if a pattern means no document.
    """
    catalog = open_catalog()
    name = catalog.collections.resolve(collection)
    graph = load_graph(graph_name)
    if graph.kind != "ingest":
        raise GraphError(f"graph {graph_name!r} is of kind {graph.kind!r}", "name a graph of kind 'ingest'")
    wanted = binding_of(graph)
    enrichment_graph(graph)
    if not (bound := catalog.collections.binding(name)):
        raise CollectionError(f"collection {name!r} is empty", f"ingest: khub ingest PATH --collection {name}")
    check_binding(name, bound, wanted, graph.name)
    documents = _meant(stored_documents(catalog, name), patterns, name)
    stages = stages_behind_splitter(graph.pipeline)
    models = [stage for stage in stages if getattr(graph.pipeline.get_component(stage), "generator", None) is not None]
    plan = EnrichPlan(name, graph, stages, models, recipe_of(graph.pipeline), [], [])
    for document in documents:
        if plan.has_gone_through(document) and not document.degraded_chunks:
            plan.unchanged.append(document.source)
        else:
            plan.waiting.append(document)
    return plan


def enrich(plan: EnrichPlan, on_progress: Callable[[int, int, int], None] | None = None) -> EnrichResult:
    """Send the chunks of the documents through the stages and write them; each document changes in one step.

    What is written stays when a run is interrupted; the next one goes on behind it. A document that is ingested or
    deleted by somebody else meanwhile is left to them.

    :param plan: from `plan_enrich`.
    :param on_progress: called with (documents done, of how many, chunks written) before the first batch and after each.
    :raises KhubError: what befalls every document.
    """
    started = time.perf_counter()
    run = _Enrichment(plan)
    done, total = 0, len(plan.waiting)
    for batch in _batches(plan.waiting):
        if on_progress is not None:
            on_progress(done, total, run.chunks_written())
        run.enrich(batch)
        done += len(batch)
    if on_progress is not None:
        on_progress(done, total, run.chunks_written())
    run.result.seconds = time.perf_counter() - started
    return run.result


class _Enrichment:
    def __init__(self, plan: EnrichPlan) -> None:
        self.result = EnrichResult(plan.collection, plan.graph.name, plan.stages, unchanged=list(plan.unchanged))
        self._catalog = open_catalog()
        self._recipe = plan.recipe
        self._graph = enrichment_graph(plan.graph)
        parts = [plan.graph.pipeline.get_component(stage) for stage in plan.stages]
        self._finds_metadata = any(isinstance(part, MetadataEnricher | LLMMetadataEnricher) for part in parts)

    def chunks_written(self) -> int:
        return sum(written["chunks"] for written in self.result.written)

    def enrich(self, batch: Sequence[StoredDocument]) -> None:
        contents: dict[str, StoredContent] = {}
        for document in batch:
            try:
                content = read_content(self._catalog, document.doc_id)
            except SourceError as error:
                self._fail(document, error)
                self._catalog.documents.record_failure(
                    self.result.collection, document.source, error.message, error.remedy
                )
                continue
            if content is not None:
                contents[document.doc_id] = content
        read = [document for document in batch if document.doc_id in contents]
        if read and (of_all := self._run(read, contents)):
            raise of_all
        self._note_overtaken(batch)

    def _run(self, batch: Sequence[StoredDocument], contents: dict[str, StoredContent]) -> KhubError | None:
        """Run a batch; return an error that befalls each document of it."""
        read = {document.doc_id: contents[document.doc_id] for document in batch}
        inputs = {
            "documents": [chunk for content in read.values() for chunk in self._as_split(content)],
            "pictures": [picture for content in read.values() for picture in content.pictures],
            "collection": self.result.collection,
            "sources": [{"path": document.source} for document in batch],
            "versions": {doc_id: content.version for doc_id, content in read.items()},
        }
        try:
            report = run_graph(self._graph, inputs).outputs["report"]
        except (BindingError, StoreError, CollectionError):
            raise
        except KhubError as error:
            if len(batch) == 1:
                self._fail(batch[0], error)
                return None
            failed = len(self.result.failed)
            for document in batch:  # one of them has broken the run: each for itself, so that it takes no other with it
                self._run([document], contents)
            return error if len(self.result.failed) - failed == len(batch) else None
        self._add(report, batch)
        return None

    def _as_split(self, content: StoredContent) -> list[Document]:
        recipe = enriched_recipe(content.recipe, self._recipe)
        # what is about to be found out anew must not be taken for what the file says
        chunks = without_found(content.chunks) if self._finds_metadata else content.chunks
        return [replace(chunk, meta={**chunk.meta, "recipe": recipe}) for chunk in chunks]

    def _add(self, report: dict[str, Any], batch: Sequence[StoredDocument]) -> None:
        self.result.written += report["written"]
        self.result.failed += report["failed"]
        known = self.result.degraded
        self.result.degraded += [entry for entry in report["degraded"] if "source" in entry or entry not in known]
        written = {entry["doc_id"] for entry in report["written"]}
        for document in batch:
            if document.failure and document.doc_id in written:  # its file still cannot be read
                self._catalog.documents.record_failure(self.result.collection, document.source, *document.failure)

    def _fail(self, document: StoredDocument, error: KhubError) -> None:
        failure = {"source": document.source, "stage": "enrich", "error": error.message, "remedy": error.remedy}
        self.result.failed.append(failure)

    def _note_overtaken(self, batch: Sequence[StoredDocument]) -> None:
        told = {entry["source"] for entry in (*self.result.written, *self.result.failed)}
        overtaken = [document for document in batch if document.source not in told]
        self.result.overtaken += [document.source for document in overtaken]
        there = versions_of(self._catalog, [document.doc_id for document in overtaken])
        # what a model has said of a deleted document goes with it
        open_cache(self._catalog.home).forget([d.doc_id for d in overtaken if d.doc_id not in there])


def _meant(documents: list[StoredDocument], patterns: Sequence[str], collection: str) -> list[StoredDocument]:
    if not patterns:
        return documents
    meant = {pattern: [d for d in documents if is_meant(d.source, pattern)] for pattern in patterns}
    for pattern, found in meant.items():
        if not found:
            raise SourceError(
                f"{pattern!r} means no document of collection {collection!r}",
                f"see them with: khub list --collection {collection}",
            )
    wanted = {document.doc_id for found in meant.values() for document in found}
    return [document for document in documents if document.doc_id in wanted]


def _batches(documents: Sequence[StoredDocument]) -> Iterator[list[StoredDocument]]:
    batch: list[StoredDocument] = []
    chunks = 0
    for document in documents:
        if batch and chunks + document.chunks > BATCH_CHUNKS:
            yield batch
            batch, chunks = [], 0
        batch.append(document)
        chunks += document.chunks
    if batch:
        yield batch
