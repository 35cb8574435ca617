"""The rows of words of khub-base, which its model file holds."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

BASE = Path(__file__).parents[3] / "components" / "embedders" / "models" / "khub-base"


class WordRows:
    """Gives the vectors of tokens, as khub-base begins with them."""

    def __init__(self) -> None:
        held = {one.name: one for one in onnx.load(BASE / "model.onnx").graph.initializer}
        self._rows, self._scales = (numpy_helper.to_array(held[name]) for name in ("rows", "scales"))

    def of(self, ids: Sequence[int]) -> np.ndarray:
        """Return float32 (tokens, 384)."""
        return self._rows[ids].astype(np.float32) * self._scales[ids]
