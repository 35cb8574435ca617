"""The hub itself, through the graphs `ingest_fast` and `query`."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from haystack import Document

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.components.errors import ParameterError
from khub.eval.lab.comparison.chunk import Chunk, by_documents
from khub.eval.lab.comparison.system import MODEL, Clock, Found
from khub.server.graphs.load import load_graph
from khub.server.library.ingest import BATCH_FILES
from khub.server.questions.ask import ask

INGEST_GRAPH = "ingest_fast"
QUERY_GRAPH = "query"


class HubSystem:
    """Ready-made chunks go through the graph's own `embed` and `write`; questions by `khub.server.questions`.

    :param folder: the hub's home, which $KHUB_HOME has to name.
    :param clock: told `embed`.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._embed: Any = None
        self._write: Any = None

    def batches(self, chunks: Iterable[Chunk]) -> Iterator[list[Chunk]]:
        """Yield the chunks of as many documents as `khub.server.library.ingest` gives the graph at a time."""
        return by_documents(chunks, BATCH_FILES)

    def prepare(self) -> None:
        """Load the graph and its model.

        :raises KhubError: when the graph embeds by another model than the other systems do.
        """
        graph = load_graph(INGEST_GRAPH)
        graph.warm_up()
        self._embed = graph.pipeline.get_component("embed")
        self._write = graph.pipeline.get_component("write")
        if (model := getattr(self._embed.embedder, "model", None)) != MODEL:
            raise ParameterError(
                f"graph '{INGEST_GRAPH}' embeds by {model!r}", f"let it embed by {MODEL}, as all others do"
            )
        embed = self._embed.embedder.run

        def timed(documents: list[Document]) -> Any:
            with self._clock.part("embed"):
                return embed(documents=documents)

        self._embed.embedder.run = timed
        open_catalog().collections.create(DEFAULT_COLLECTION)

    def add(self, chunks: Sequence[Chunk]) -> None:
        """Embed and write, as the graph does."""
        documents = [Document(id=chunk.id, content=chunk.content, meta=chunk.meta) for chunk in chunks]
        embedded = self._embed.run(documents=documents)
        self._write.run(**embedded, collection=DEFAULT_COLLECTION, sources=[])

    def finish(self) -> None:
        """Nothing is left: every batch is on disk and visible."""

    def open(self) -> None:
        """Nothing to do: the first question opens what it needs."""

    def search(self, question: str, top_k: int) -> Found:
        """Ask."""
        answer = ask(question, DEFAULT_COLLECTION, graph_name=QUERY_GRAPH, top_k=top_k)
        ids = [citation.chunk_id for citation in answer.citations]
        return Found(ids, answer.timings_ms, bool(answer.degraded))
