"""The rows of words of khub-base, which its model file holds."""

from pathlib import Path

import onnx
from onnx import numpy_helper

BASE = Path(__file__).parents[3] / "components" / "embedders" / "models" / "khub-base"


class BaseRows:
    """What khub-base begins with: int8 `rows` (tokens, 384), float32 `scales` (tokens, 1), and where in its file."""

    def __init__(self) -> None:
        self.file = BASE / "model.onnx"
        held = {one.name: one for one in onnx.load(self.file).graph.initializer}
        self.rows, self.scales = (numpy_helper.to_array(held[name]) for name in ("rows", "scales"))
        self.offset = self.file.read_bytes().index(held["rows"].raw_data)
