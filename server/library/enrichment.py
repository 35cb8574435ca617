"""Send the stored chunks of a collection through the enrichment stages of a graph; no file is read again."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.stored_document import (
    StoredContent,
    StoredDocument,
    read_content,
    stored_documents,
    versions_of,
)
from khub.components.degraded_entry import DegradedEntry
from khub.components.enrichers.cache import open_cache
from khub.components.enrichers.document_metadata import without_found
from khub.components.enrichers.llm_metadata_enricher import LLMMetadataEnricher
from khub.components.enrichers.metadata_enricher import MetadataEnricher
from khub.components.errors import BindingError, CollectionError, KhubError, SourceError, StoreError
from khub.components.failed_file import FailedFile, failed_file
from khub.components.ingest.write_report import WriteReport
from khub.components.model_servers.token_limit import one_run
from khub.components.written_document import WrittenDocument
from khub.server.graphs.load import Graph
from khub.server.graphs.run import run_graph
from khub.server.library.enrichment_graph import enrichment_graph
from khub.server.library.enrichment_stages import stages_behind_splitter
from khub.server.library.recipe import enriched_recipe, recipe_of

BATCH_CHUNKS = 64
"""So many chunks, or one document, go through the stages together: what is done is seen, and kept, that often."""


@dataclass
class Enriched:
    """What became of the documents that had not gone through the stages, or not without something that stood in.

    :param stages: their names.
    :param enriched: `{doc_id, source, pages, chunks}` of those that were written.
    :param overtaken: sources of those that were ingested anew or deleted meanwhile; nothing of them was written.
    :param failed: what could not be read, and why.
    :param degraded: `{stage, reason, source, chunks}`: in how many chunks of a document something simpler stands in.
    """

    stages: list[str]
    enriched: list[WrittenDocument] = field(default_factory=list)
    overtaken: list[str] = field(default_factory=list)
    failed: list[FailedFile] = field(default_factory=list)
    degraded: list[DegradedEntry] = field(default_factory=list)


class Enrichment:
    """The stages between a graph's splitter and embedder, over what a collection holds.

    :param collection: the name of one that has the graph's embedder and store by the time of `run`.
    :param graph: of kind `ingest`. What it does before and with its splitter does not matter.
    :raises GraphError: if one of the stages needs what only reading the file gives.
    """

    def __init__(self, collection: str, graph: Graph) -> None:
        self._catalog, self._collection = open_catalog(), collection
        self._recipe = recipe_of(graph.pipeline)
        stages = stages_behind_splitter(graph.pipeline)
        self.result = Enriched(stages)
        self._graph = enrichment_graph(graph, stages) if stages else None
        parts = [graph.pipeline.get_component(stage) for stage in stages]
        self._finds_metadata = any(isinstance(part, MetadataEnricher | LLMMetadataEnricher) for part in parts)

    @one_run()
    def run(self, on_progress: Callable[[int, int], None]) -> dict[str, Any]:
        """Send the documents that wait for the stages through them; each changes as a whole.

        What is written stays when a run is interrupted; the next one goes on behind it.

        :param on_progress: called with (chunks done, of how many) after each batch.
        :returns: the fields of `Enriched`.
        :raises KhubError: what befalls every document.
        """
        stored = stored_documents(self._catalog, self._collection) if self._graph else []
        waiting = [d for d in stored if d.is_degraded or d.recipe != enriched_recipe(d.recipe, self._recipe)]
        done, total = 0, sum(document.chunks for document in waiting)
        for batch in _batches(waiting):
            self._enrich(batch)
            done += sum(document.chunks for document in batch)
            on_progress(done, total)
        return asdict(self.result)

    def _enrich(self, batch: Sequence[StoredDocument]) -> None:
        contents: list[tuple[StoredDocument, StoredContent]] = []
        for document in batch:
            try:
                content = read_content(self._catalog, document.doc_id)
            except SourceError as error:
                self._fail(document, error)
                failure = (error.message, error.remedy)
                self._catalog.documents.record_failure(self._collection, document.source, *failure)
                continue
            if content is not None:
                contents.append((document, content))
        if contents:
            self._send(contents)
        self._note_overtaken(batch)

    def _send(self, batch: Sequence[tuple[StoredDocument, StoredContent]]) -> None:
        inputs = {
            "documents": [chunk for _, content in batch for chunk in self._as_split(content)],
            "pictures": [picture for _, content in batch for picture in content.pictures],
            "collection": self._collection,
            "sources": [{"path": document.source} for document, _ in batch],
            "versions": {document.doc_id: content.version for document, content in batch},
        }
        try:
            assert self._graph is not None
            report = run_graph(self._graph, inputs).outputs["report"]
        except (BindingError, StoreError, CollectionError):
            raise
        except KhubError as error:
            if len(batch) == 1:
                self._fail(batch[0][0], error)
                return
            failed = len(self.result.failed)
            for one in batch:  # one of them has broken the run: each for itself, so that it takes no other with it
                self._send([one])
            if len(self.result.failed) - failed == len(batch):
                raise
            return
        self._add(report, batch)

    def _as_split(self, content: StoredContent) -> Iterator[Any]:
        recipe = enriched_recipe(content.recipe, self._recipe)
        # what is about to be found out anew must not be taken for what the file says
        chunks = without_found(content.chunks) if self._finds_metadata else content.chunks
        return (replace(chunk, meta={**chunk.meta, "recipe": recipe}) for chunk in chunks)

    def _add(self, report: WriteReport, batch: Sequence[tuple[StoredDocument, StoredContent]]) -> None:
        self.result.enriched += report["written"]
        self.result.failed += report["failed"]
        known = self.result.degraded
        self.result.degraded += [entry for entry in report["degraded"] if "source" in entry or entry not in known]
        written = {entry["doc_id"] for entry in report["written"]}
        for document, _ in batch:
            if document.failure and document.doc_id in written:  # its file still cannot be read
                self._catalog.documents.record_failure(self._collection, document.source, *document.failure)

    def _fail(self, document: StoredDocument, error: KhubError) -> None:
        failure = failed_file(document.source, "enrich", error)
        self.result.failed.append(failure)

    def _note_overtaken(self, batch: Sequence[StoredDocument]) -> None:
        told = {entry["source"] for entry in (*self.result.enriched, *self.result.failed)}
        overtaken = [document for document in batch if document.source not in told]
        self.result.overtaken += [document.source for document in overtaken]
        there = versions_of(self._catalog, [document.doc_id for document in overtaken])
        # what a model has said of a deleted document goes with it
        open_cache(self._catalog.home).forget([d.doc_id for d in overtaken if d.doc_id not in there])


def _batches(documents: Sequence[StoredDocument]) -> Iterator[list[StoredDocument]]:
    batch: list[StoredDocument] = []
    for document in documents:
        if batch and sum(d.chunks for d in batch) + document.chunks > BATCH_CHUNKS:
            yield batch
            batch = []
        batch.append(document)
    if batch:
        yield batch
