"""A picture read the right way up."""

import math
from typing import Protocol

import numpy as np

from khub.components.ocr.text_line import ReadPicture, TextLine

_GOOD = 0.85
_TALL = 1.5
_FEWEST_CHARACTERS = 8


class Engine(Protocol):
    """Reads lines in pixels."""

    def read(self, pixels: np.ndarray) -> list[TextLine]:
        """Return the lines of one picture."""


def read_upright(engine: Engine, pixels: np.ndarray) -> ReadPicture:
    """Read a picture; when the lines stand on end or are read badly, turn it and read again.

    The turn whose lines are read most surely wins. Most pictures are read once, a turned one twice or three times.

    :param engine: reads upright text.
    :param pixels: of shape (height, width, 3).
    """
    lines = engine.read(pixels)
    best, best_score = _read(pixels, 0, lines), _certainty(lines)
    on_end = _on_end(lines)
    if not lines or (not on_end and best_score >= _GOOD):
        return best
    if on_end:
        best_score = 0.0
    for turn in (90, 270) if on_end else (180,):
        turned = np.ascontiguousarray(np.rot90(pixels, -turn // 90))
        lines = engine.read(turned)
        score = _certainty(lines) if not _on_end(lines) else 0.0
        if score > best_score:
            best, best_score = _read(turned, turn, lines), score
        if score >= _GOOD:
            break
    return best


def _read(pixels: np.ndarray, turn: int, lines: list[TextLine]) -> ReadPicture:
    height, width = pixels.shape[:2]
    return ReadPicture(width, height, turn, lines)


def _certainty(lines: list[TextLine]) -> float:
    """Return the mean score of a character."""
    characters = sum(len(line.text) for line in lines)
    return sum(line.score * len(line.text) for line in lines) / characters if characters else 0.0


def _on_end(lines: list[TextLine]) -> bool:
    """Whether most of the text stands in boxes that are higher than wide."""
    tall = flat = 0.0
    for line in lines:
        first, second, _, fourth = line.corners
        width, height = math.dist(first, second), math.dist(first, fourth)
        if height > _TALL * width:
            tall += height
        elif width > _TALL * height:
            flat += width
    return tall > flat and sum(len(line.text) for line in lines) >= _FEWEST_CHARACTERS
