"""How well an example fits into pictures: the best place for it at every size, by correlation."""

from collections.abc import Mapping

import numpy as np
from PIL import Image

from khub.components.raster.picture_print import SIDE, brightness

LEAST_SHARE = 0.44
"""Of a picture's width or height that an example covers: with a quarter cut off at each side it is a half."""
NEARLY = 1.03
"""An example may be so much higher than the picture: sizes in pixels are rounded."""
FAINT = 1.0
"""Spread of brightness, of 255, below which a place shows nothing."""
HALF = SIDE // 2
REFINED = 20
"""Pictures that are compared at all `SIDE` x `SIDE` places, and not at a quarter as many."""

Size = tuple[int, int]


def matches(example: Image.Image, prints: Mapping[str, tuple[bytes, float]]) -> dict[str, float]:
    """Return of the pictures into which the example fits best how well it does, from -1 to 1, best first.

    1 is the picture itself. There are `REFINED` at most.

    :param example: from `example_of`.
    :param prints: by any name the picture's print and its width by its height.
    """
    shape = example.width / example.height
    names = list(prints)
    for side, most in ((HALF, len(names)), (SIDE, REFINED)):
        names = names[:most]
        match = _Match(example, [_reduced(prints[name][0], side) for name in names])
        ratios = [prints[name][1] / shape for name in names]
        scores = np.full(len(names), -1.0)
        for size, chosen in _by_size(ratios, side).items():
            scores[chosen] = np.maximum(scores[chosen], match.at(size, chosen))
        order = np.argsort(-scores, kind="stable")
        names, scores = [names[place] for place in order], scores[order]
    return dict(zip(names, scores.tolist(), strict=True))


def _reduced(print_: bytes, side: int) -> np.ndarray:
    places = np.frombuffer(print_, np.uint8).reshape(side, SIDE // side, side, SIDE // side)
    found: np.ndarray = places.mean(axis=(1, 3), dtype=np.float32)
    return found


def _by_size(ratios: list[float], side: int) -> dict[Size, list[int]]:
    """Return the sizes that the example may have in a picture, and the numbers of the pictures that it may have it in.

    :param ratios: of each picture, what a step in width is in height.
    :param side: of a picture, in places.
    """
    found: dict[Size, list[int]] = {}
    for number, ratio in enumerate(ratios):
        for width in range(round(side * LEAST_SHARE), side + 1):
            height = width * ratio
            if side * LEAST_SHARE <= height <= side * NEARLY:
                found.setdefault((width, min(round(height), side)), []).append(number)
    return found


class _Match:
    """Correlations of one example with some prints, at all places at once, by Fourier transforms."""

    def __init__(self, example: Image.Image, prints: list[np.ndarray]) -> None:
        self._example = example
        places = np.stack(prints)
        self._side = places.shape[1]
        places -= places.mean(axis=(1, 2), keepdims=True)
        self._spectra = np.fft.rfft2(places)
        self._sums, self._squares = _summed(places), _summed(places**2)

    def at(self, size: Size, chosen: list[int]) -> np.ndarray:
        """Return the best correlation with each of the chosen prints at one size (width, height)."""
        width, height = size
        part = brightness(self._example, width, height)
        part = part - part.mean()
        spread = float(np.linalg.norm(part))
        if spread < FAINT * self._side / 2:
            return np.full(len(chosen), -1.0)
        spectrum = np.conj(np.fft.rfft2(part / spread, (self._side, self._side)))
        found = np.fft.irfft2(self._spectra[chosen] * spectrum, (self._side, self._side))[
            :, : self._side - height + 1, : self._side - width + 1
        ]
        sums, squares = _in_boxes(self._sums[chosen], size), _in_boxes(self._squares[chosen], size)
        spreads = np.maximum(squares - sums**2 / (width * height), width * height * FAINT**2)
        result: np.ndarray = (found / np.sqrt(spreads)).max(axis=(1, 2))
        return result


def _summed(places: np.ndarray) -> np.ndarray:
    """Return the sums of all places above and to the left, (n, SIDE + 1, SIDE + 1)."""
    return np.pad(places.cumsum(axis=1, dtype=np.float64).cumsum(axis=2), [(0, 0), (1, 0), (1, 0)])


def _in_boxes(sums: np.ndarray, size: Size) -> np.ndarray:
    width, height = size
    found: np.ndarray = (
        sums[:, height:, width:] - sums[:, :-height, width:] - sums[:, height:, :-width] + sums[:, :-height, :-width]
    )
    return found
