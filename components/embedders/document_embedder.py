"""Embeds chunks."""

from dataclasses import replace

from haystack import Document, component

from khub.components.embedders.model_folder import EmbeddingModel
from khub.components.embedders.model_holder import ModelHolder
from khub.components.errors import ParameterError
from khub.components.text.chunk_text import embedded_text


@component
class DocumentEmbedder(ModelHolder):
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
        # Haystack makes another class of a component's, which `super()` does not know.
        ModelHolder.__init__(self, model, threads, fallback)
        self.prefix = prefix
        self.batch_size = batch_size

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Embed documents.

        :param documents: chunks; what is embedded of each is `khub.components.text.chunk_text.embedded_text`.
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

    def _warm(self) -> EmbeddingModel:
        if self.batch_size < 1:
            raise ParameterError(f"batch_size of DocumentEmbedder is {self.batch_size}", "set it to 1 or more")
        return ModelHolder._warm(self)
