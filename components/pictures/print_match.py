"""How well an example fits into pictures: the best place for it at every size, by correlation."""

from collections.abc import Mapping

import numpy as np
from PIL import Image

from components.pictures.picture_print import SIDE, brightness

LEAST_SIDE = 28
"""Places of a print's width or height that an example covers at least: with a quarter cut off at each side it is 32."""
NEARLY = 1.03
"""An example may be so much higher than the picture: sizes in pixels are rounded."""
FAINT = 1.0
"""Spread of brightness, of 255, below which a place shows nothing."""
STRIDE = 2
REFINED = 12
"""Pictures that are compared at every size, and not at every second one."""

Size = tuple[int, int]


def matches(example: Image.Image, prints: Mapping[str, tuple[bytes, float]]) -> dict[str, float]:
    """Return for each picture how well the example fits into it, from -1 to 1; 1 is the picture itself.

    :param example: from `example_of`.
    :param prints: by any name the picture's print and its width by its height.
    """
    match = _Match(example, [print_ for print_, _ in prints.values()])
    shape = example.width / example.height
    ratios = [width_by_height / shape for _, width_by_height in prints.values()]
    scores = np.full(len(prints), -1.0)
    for number, sizes in _by_size(ratios, STRIDE).items():
        scores[sizes] = np.maximum(scores[sizes], match.at(number, sizes))
    best = np.argsort(-scores)[:REFINED]
    for number, sizes in _by_size([ratios[place] for place in best], 1).items():
        chosen = [int(best[place]) for place in sizes]
        scores[chosen] = np.maximum(scores[chosen], match.at(number, chosen))
    return dict(zip(prints, scores.tolist(), strict=True))


def _by_size(ratios: list[float], stride: int) -> dict[Size, list[int]]:
    """Return the sizes that the example may have in a print, and the numbers of the pictures that it may have it in.

    :param ratios: of each picture, what a step in width is in height.
    """
    found: dict[Size, list[int]] = {}
    for number, ratio in enumerate(ratios):
        for width in range(SIDE, LEAST_SIDE - 1, -stride):
            height = width * ratio
            if LEAST_SIDE <= height <= SIDE * NEARLY:
                found.setdefault((width, min(round(height), SIDE)), []).append(number)
    return found


class _Match:
    """Correlations of one example with some prints, at all places at once, by Fourier transforms."""

    def __init__(self, example: Image.Image, prints: list[bytes]) -> None:
        self._example = example
        places = np.frombuffer(b"".join(prints), np.uint8).reshape(-1, SIDE, SIDE).astype(np.float32)
        places -= places.mean(axis=(1, 2), keepdims=True)
        self._spectra = np.fft.rfft2(places)
        self._sums, self._squares = _summed(places), _summed(places**2)

    def at(self, size: Size, chosen: list[int]) -> np.ndarray:
        """Return the best correlation with each of the chosen prints at one size (width, height)."""
        width, height = size
        part = brightness(self._example, width, height)
        part = part - part.mean()
        spread = float(np.linalg.norm(part))
        if spread < FAINT * SIDE / 2:
            return np.full(len(chosen), -1.0)
        spectrum = np.conj(np.fft.rfft2(part / spread, (SIDE, SIDE)))
        found = np.fft.irfft2(self._spectra[chosen] * spectrum, (SIDE, SIDE))[
            :, : SIDE - height + 1, : SIDE - width + 1
        ]
        sums, squares = _in_boxes(self._sums[chosen], size), _in_boxes(self._squares[chosen], size)
        spreads = np.maximum(squares - sums**2 / (width * height), width * height * FAINT**2)
        return (found / np.sqrt(spreads)).max(axis=(1, 2))


def _summed(places: np.ndarray) -> np.ndarray:
    """Return the sums of all places above and to the left, (n, SIDE + 1, SIDE + 1)."""
    return np.pad(places.cumsum(axis=1, dtype=np.float64).cumsum(axis=2), [(0, 0), (1, 0), (1, 0)])


def _in_boxes(sums: np.ndarray, size: Size) -> np.ndarray:
    width, height = size
    return sums[:, height:, width:] - sums[:, :-height, width:] - sums[:, height:, :-width] + sums[:, :-height, :-width]
