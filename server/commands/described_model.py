"""An embedding model on the command line."""

from typing import TypedDict


class DescribedModel(TypedDict):
    """What is told of a model's folder; what only the loaded model says is None where it cannot be loaded.

    :ivar kind: `onnx` or `static`.
    """

    name: str
    kind: str
    languages: list[str] | None
    dimension: int | None
    size_mb: float
    fingerprint: str | None
