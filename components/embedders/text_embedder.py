"""Embeds a question."""

from haystack import component

from components.embedders.model_folder import EmbeddingModel, load_model


@component
class TextEmbedder:
    """Turn one text, such as a question, into a vector of unit length.

    :param model: name of a shipped model, or path of a model folder.
    :param prefix: put before the text, for models that want to be told that it is a question (`"query: "`).
    """

    def __init__(self, model: str = "minilm-static-en", prefix: str = "") -> None:
        self.model = model
        self.prefix = prefix
        self._loaded: EmbeddingModel | None = None

    def warm_up(self) -> None:
        """Load the model; later calls do nothing.

        :raises KhubError: when there is no such model, or when one of its files is missing or damaged.
        """
        self._warm()

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, list[float]]:
        """Embed one text.

        :param text: the text, of any length.
        :returns: `embedding`, `dimension` numbers; the vector has unit length, so that the dot product is the cosine.
        :raises KhubError: as `warm_up`, which is called when it has not been.
        """
        return {"embedding": self._warm().encode([self.prefix + text])[0].tolist()}

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

    def _warm(self) -> EmbeddingModel:
        if self._loaded is None:
            self._loaded = load_model(self.model)
        return self._loaded
