"""An encoder and a static model taken together: their vectors of a text are added."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from components.embedders.model_files import damaged, read_json
from components.embedders.onnx_model import OnnxModel
from components.embedders.static_model import StaticModel


class Blend(NamedTuple):
    """What `config.json` says under `blend`."""

    model: str
    weight: float


class BlendedModel:
    """An encoder that is helped by a static model of the same space, for example of the same teacher.

    The vector of a text is the encoder's plus `weight` times the static model's, at unit length. The encoder reads
    words in their context, the static model knows more words and forgets none; where one errs the other seldom does. It
    costs next to no time, as the static model is a hundred times as fast. One object may be used from several threads.

    :param encoder: its vectors count 1.
    :param static: its vectors have as many numbers.
    :param weight: above 0 and below 1.
    """

    def __init__(self, encoder: OnnxModel, static: StaticModel, weight: float) -> None:
        self._encoder = encoder
        self._static = static
        self._weight = np.float32(weight)

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._encoder.dimension

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that the encoder knows, such as `("en", "zh")`; empty when its card names none."""
        return self._encoder.languages

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that follow from both models and the weight."""
        parts = f"{self._encoder.fingerprint} {self._static.fingerprint} {self._weight}"
        return hashlib.sha256(parts.encode()).hexdigest()[:16]

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Embed texts of any length.

        :param texts: the texts; the vector of each is independent of the others.
        :returns: float32 array (number of texts, dimension); each row has unit length.
        :raises KhubError: as `OnnxModel.encode`.
        """
        vectors = self._encoder.encode(texts)
        vectors += self._weight * self._static.encode(texts)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def read_blend(config: Path) -> Blend | None:
    """Return what a model folder's `config.json` says under `blend`; None where it says nothing.

    :raises KhubError: when the file cannot be read, or says something else than a model and a weight.
    """
    blend = read_json(config).get("blend")
    if blend is None:
        return None
    if not isinstance(blend, dict) or set(blend) != {"model", "weight"} or not isinstance(blend["model"], str):
        raise damaged(config, f"'blend' is {blend!r}, it has to name a 'model' and its 'weight'")
    weight = blend["weight"]
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < 1:
        raise damaged(config, f"'weight' of 'blend' is {weight!r}, it has to be above 0 and below 1")
    return Blend(blend["model"], float(weight))
