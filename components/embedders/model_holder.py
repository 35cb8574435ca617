"""What the embedders of documents and of questions have in common: a model that is loaded at first need."""

import threading

from haystack import logging

from khub.components.embedders.model_folder import EmbeddingModel, load_or_replace

logger = logging.getLogger(__name__)


class ModelHolder:
    """Loads a model once, or the one that stands in for it.

    :param model: name of a shipped model, or path of a model folder.
    :param threads: how many windows of text an ONNX model computes at the same time, 0 for all processors.
    :param fallback: the model to use where onnxruntime cannot be imported; None to report that as an error.
    """

    def __init__(self, model: str, threads: int, fallback: str | None) -> None:
        self.model = model
        self.threads = threads
        self.fallback = fallback
        self._loaded: EmbeddingModel | None = None
        self._replaced: str | None = None
        self._loading = threading.Lock()

    def warm_up(self) -> None:
        """Load the model; later calls do nothing.

        :raises KhubError: when there is no such model, when one of its files is missing or damaged, or when a
            parameter is out of range.
        """
        self._warm()

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
            with self._loading:
                if self._loaded is None:
                    loaded, self._replaced = load_or_replace(self.model, self.fallback, self.threads)
                    if self._replaced:
                        logger.warning("{reason}", reason=self._replaced)
                    self._loaded = loaded
        return self._loaded
