"""Which pictures may an example be a part of: a first, coarse comparison with all of a collection."""

from collections.abc import Sequence

import numpy as np
from PIL import Image

from khub.components.raster.picture_print import SIDE, brightness

COARSE = 16
CELLS = 8
CUT = 0.25
"""Share of a picture's width or height that may have been cut off at each side."""
STEPS = 4
FAINT = 1.0
"""Contrast of a window (of 255, over all its cells) below which it shows nothing."""
CHUNK = 512


def _window(low: float, high: float) -> np.ndarray:
    """Return (CELLS, COARSE): how much each coarse place lies in each cell of a window from `low` to `high`."""
    edges = np.linspace(low, high, CELLS + 1) * COARSE
    places = np.arange(COARSE)
    held = np.minimum(edges[1:, None], places + 1) - np.maximum(edges[:-1, None], places)
    held = np.maximum(held, 0)
    found: np.ndarray = held / held.sum(axis=1, keepdims=True)
    return found


_CUTS = [CUT * step / (STEPS - 1) for step in range(STEPS)]
_WINDOWS = np.stack([_window(low, 1 - high) for low in _CUTS for high in _CUTS]).astype(np.float32)
"""(16, CELLS, COARSE): windows that are left when up to `CUT` is cut off at both ends."""


class PrintIndex:
    """The prints of a collection's pictures, 2 KB each.

    An example is compared with every window of every picture, 16 x 16 of them, by the correlation of 8 x 8 mean
    brightnesses. What that finds is compared more closely by `khub.components.pictures.print_match`.

    :param digests: of the pictures' files.
    :param prints: of each, from `picture_print`.
    """

    def __init__(self, digests: Sequence[str], prints: Sequence[bytes]) -> None:
        self.digests = list(digests)
        kept = np.empty((len(prints), COARSE, COARSE), np.float32)
        self._contrasts = np.empty((len(prints), len(_WINDOWS) ** 2), np.float32)
        for start in range(0, len(prints), CHUNK):
            fine = np.frombuffer(b"".join(prints[start : start + CHUNK]), np.uint8)
            step = SIDE // COARSE
            places = fine.reshape(-1, COARSE, step, COARSE, step).mean(axis=(2, 4), dtype=np.float32)
            kept[start : start + CHUNK] = places
            self._contrasts[start : start + CHUNK] = _contrasts(places)
        self._places = kept.reshape(len(prints), COARSE * COARSE)

    def likely(self, example: Image.Image) -> list[str]:
        """Return the digests of all pictures, those first of which the example looks most like a part."""
        cells = brightness(example, CELLS, CELLS)
        cells = cells - cells.mean()
        cells /= max(float(np.linalg.norm(cells)), FAINT)
        asked = np.einsum("aij,il,blk->abjk", _WINDOWS, cells, _WINDOWS, optimize=True).reshape(-1, COARSE * COARSE)
        found = (self._places @ asked.T) / self._contrasts
        best = found.max(axis=1, initial=-1.0)
        return [self.digests[place] for place in np.argsort(-best, kind="stable")]


def _contrasts(places: np.ndarray) -> np.ndarray:
    """Return (pictures, windows): the norm of each window's cells about their mean."""
    rows = np.einsum("aij,njk->naik", _WINDOWS, places, optimize=True)
    cells = np.einsum("naik,blk->nabil", rows, _WINDOWS, optimize=True)
    cells = cells.reshape(len(places), len(_WINDOWS) ** 2, -1)
    found: np.ndarray = np.maximum(cells.std(axis=2) * CELLS, FAINT)
    return found
