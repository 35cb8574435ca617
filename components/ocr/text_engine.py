"""RapidOCR on onnxruntime: PaddleOCR's text detector and recogniser for Chinese and English, from the wheel alone."""

import hashlib
import importlib.metadata
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from khub.components.errors import MissingLibraryError
from khub.components.extras import install_extra
from khub.components.ocr.text_line import TextLine

if TYPE_CHECKING:
    import numpy as np

REMEDY = f"{install_extra('ocr')}, then ingest it again"
_DETECTOR = "*_det_*.onnx"
_RECOGNISER = "*_rec_*.onnx"
_ANY_SIZE = 1_000_000


class TextEngine:
    """Finds and reads lines of text.

    :param max_side: lines are looked for in the picture reduced to so many pixels on its longer side, and read at its
        own size.
    :param threads: of onnxruntime; 0 for as many as there are cores.
    :raises MissingLibraryError: when RapidOCR is not installed, cannot be imported or lacks its models.
    """

    def __init__(self, max_side: int, threads: int) -> None:
        detector, recogniser = _model(_DETECTOR), _model(_RECOGNISER)
        try:
            from rapidocr import RapidOCR
        except (ImportError, OSError) as error:
            raise MissingLibraryError(f"RapidOCR cannot be imported ({error})", REMEDY) from error
        # With a path of its own for each model the library neither looks for a download nor makes a folder.
        self._ocr = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.text_score": 0.0,
                "Global.use_cls": False,
                "Global.max_side_len": _ANY_SIZE,
                "Det.model_path": str(detector),
                "Rec.model_path": str(recogniser),
                "Det.limit_type": "max",
                "Det.limit_side_len": max_side,
                "EngineConfig.onnxruntime.intra_op_num_threads": threads or -1,
            }
        )

    def read(self, pixels: "np.ndarray") -> list[TextLine]:
        """Read one picture.

        :param pixels: of shape (height, width, 3), blue first, 8 bits each.
        :returns: lines from top to bottom, of every confidence; none where there is no text.
        """
        output: Any = self._ocr(pixels)
        if output.boxes is None or output.txts is None:
            return []
        return [
            TextLine(text.strip(), float(score), tuple((float(x), float(y)) for x, y in box))  # type: ignore[arg-type]
            for box, text, score in zip(output.boxes, output.txts, output.scores, strict=True)
            if text.strip()
        ]


def is_installed() -> bool:
    """Whether RapidOCR is there; it is not imported."""
    return importlib.util.find_spec("rapidocr") is not None


def engine_fingerprint() -> str:
    """Name the library's version and its models, without loading them; "none" when it is not installed."""
    if not is_installed():
        return "none"
    models = [(path.name, path.stat().st_size) for path in sorted(_models_folder().glob("*.onnx"))]
    named = repr((importlib.metadata.version("rapidocr"), models))
    return hashlib.sha256(named.encode()).hexdigest()[:16]


def _model(pattern: str) -> Path:
    if not is_installed():
        raise MissingLibraryError("RapidOCR is not installed", REMEDY)
    found = sorted(_models_folder().glob(pattern))
    if not found:
        raise MissingLibraryError(f"RapidOCR has no model {pattern!r} in {str(_models_folder())!r}", REMEDY)
    return found[0]


def _models_folder() -> Path:
    spec = importlib.util.find_spec("rapidocr")
    return Path((spec.origin if spec else None) or "").parent / "models"
