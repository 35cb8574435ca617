"""Embeds a question."""

import threading

from haystack import component, logging

from components.embedders.model_folder import EmbeddingModel, load_or_replace

logger = logging.getLogger(__name__)


@component
class TextEmbedder:
    """Turn one text, such as a question, into a vector of unit length.

    :param model: name of a shipped model, or path of a model folder.
    :param prefix: put before the text, for models that want to be told that it is a question (`"query: "`); None for
        what the model's own settings say.
    :param threads: how many windows of a long text an ONNX model computes at the same time, 0 for all processors.
    :param fallback: the model to use on a machine where onnxruntime, which the model needs, cannot be imported (then
        `replaced` says so); None to report that as an error.
    """

    def __init__(
        self, model: str = "khub-base", prefix: str | None = None, threads: int = 0, fallback: str | None = None
    ) -> None:
        self.model = model
        self.prefix = prefix
        self.threads = threads
        self.fallback = fallback
        self._loaded: EmbeddingModel | None = None
        self._replaced: str | None = None
        self._loading = threading.Lock()

    def warm_up(self) -> None:
        """Load the model; later calls do nothing.

        :raises KhubError: when there is no such model, or when one of its files is missing or damaged, or when
            `threads` is below 0.
        """
        self._warm()

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, list[float]]:
        """Embed one text.

        :param text: the text, of any length.
        :returns: `embedding`, `dimension` numbers; the vector has unit length, so that the dot product is the cosine.
        :raises KhubError: as `warm_up`, which is called when it has not been.
        """
        model = self._warm()
        prefix = model.prefixes.query if self.prefix is None else self.prefix
        return {"embedding": model.encode([prefix + text])[0].tolist()}

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
