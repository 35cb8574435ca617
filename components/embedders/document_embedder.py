"""Embeds chunks."""

import threading
from dataclasses import replace

from haystack import Document, component, logging

from components.embedders.model_folder import EmbeddingModel, load_or_replace
from components.errors import KhubError
from components.text.chunk_text import embedded_text

logger = logging.getLogger(__name__)


@component
class DocumentEmbedder:
    """Give each document a vector of unit length, made of its text under its title and heading path.

    :param model: name of a shipped model, or path of a model folder.
    :param prefix: put before each text, for models that want to be told that it is a passage (`"passage: "`); None for
        what the model's own settings say.
    :param batch_size: how many documents the model gets at a time, at least 1; bounds memory.
    :param threads: how many windows of text an ONNX model computes at the same time, 0 for all processors.
    :param fallback: the model to use on a machine where onnxruntime, which the model needs, cannot be imported (then
        `replaced` says so); None to report that as an error.
    """

    def __init__(
        self,
        model: str = "khub-base",
        prefix: str | None = None,
        batch_size: int = 256,
        threads: int = 0,
        fallback: str | None = None,
    ) -> None:
        self.model = model
        self.prefix = prefix
        self.batch_size = batch_size
        self.threads = threads
        self.fallback = fallback
        self._loaded: EmbeddingModel | None = None
        self._replaced: str | None = None
        self._loading = threading.Lock()

    def warm_up(self) -> None:
        """Load the model; later calls do nothing.

        :raises KhubError: when there is no such model, when one of its files is missing or damaged, or when
            `batch_size` is below 1 or `threads` below 0.
        """
        self._warm()

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Embed documents.

        :param documents: chunks; what is embedded of each is `components.text.chunk_text.embedded_text`.
        :returns: `documents`, copies in the same order with `embedding` (`dimension` numbers, unit length).
        :raises KhubError: as `warm_up`, which is called when it has not been.
        """
        model = self._warm()
        prefix = model.prefixes.passage if self.prefix is None else self.prefix
        embedded: list[Document] = []
        for start in range(0, len(documents), self.batch_size):
            batch = documents[start : start + self.batch_size]
            vectors = model.encode([prefix + embedded_text(document) for document in batch])
            pairs = zip(batch, vectors.tolist(), strict=True)
            embedded += [replace(document, embedding=vector) for document, vector in pairs]
        return {"documents": embedded}

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that name the model's weights and tokenizer (loads the model when necessary)."""
        return self._warm().fingerprint

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that the model knows; empty when not stated (loads the model when necessary)."""
        return self._warm().languages

    @property
    def dimension(self) -> int:
        """Length of the vectors (loads the model when necessary)."""
        return self._warm().dimension

    @property
    def replaced(self) -> str | None:
        """Why the fallback stands in for the model, in one sentence; None if it does not (loads it when necessary)."""
        self._warm()
        return self._replaced

    def _warm(self) -> EmbeddingModel:
        if self._loaded is None:
            if self.batch_size < 1:
                raise KhubError(f"batch_size of DocumentEmbedder is {self.batch_size}", "set it to 1 or more")
            with self._loading:
                if self._loaded is None:
                    loaded, self._replaced = load_or_replace(self.model, self.fallback, self.threads)
                    if self._replaced:
                        logger.warning("{reason}", reason=self._replaced)
                    self._loaded = loaded
        return self._loaded
