"""Embeds a question."""

from haystack import component

from khub.components.embedders.model_holder import ModelHolder


@component
class TextEmbedder(ModelHolder):
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
        # Haystack makes another class of a component's, which `super()` does not know.
        ModelHolder.__init__(self, model, threads, fallback)
        self.prefix = prefix

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
