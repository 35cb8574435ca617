"""Words of a page that nobody sees on it: white on white, without ink, off the page, too small to be read.

The text layer of a scan has no ink either, but lies on its picture.
"""

from collections.abc import Sequence

import numpy as np
import pypdfium2

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.boxes import inside
from khub.components.converters.pdf.drawing_reader import Drawings
from khub.components.converters.pdf.page_space import PageSpace
from khub.components.converters.pdf.text_reader import RawWord

_SMALLEST = 1.0
_OF_PAGE = 0.0012
_NEARLY_WHITE = 247


def seen_words(
    words: Sequence[RawWord], page: pypdfium2.PdfPage, space: PageSpace, drawings: Drawings
) -> list[RawWord]:
    """Return the words that can be seen.

    :param page: the open page.
    :param drawings: what stands behind the words, in `space`.
    """
    left, bottom, right, top = _view(page, space)
    smallest = min(_SMALLEST, _OF_PAGE * max(right - left, top - bottom))
    images = [image.box for image in drawings.images]
    paper = _Paper(page, space)
    seen: list[RawWord] = []
    for word in words:
        if word.right <= left or word.left >= right or word.top <= bottom or word.bottom >= top:
            continue
        if word.style.size < smallest:
            continue
        ink = word.style.ink
        if ink == "none" and not _lies_on(word, space, [*images, *drawings.pieces]):
            continue
        if ink == "white" and not _lies_on(word, space, [*images, *drawings.fills]) and paper.is_blank_at(word):
            continue
        seen.append(word)
    return seen


def _view(page: pypdfium2.PdfPage, space: PageSpace) -> Box:
    """Return what is shown of a page; of one that is rotated also what its box holds with the sides exchanged.

    Programs that rotate a page leave text on it that was laid out for the sides it had before.
    """
    left, bottom, right, top = space.visible
    if page.get_rotation() % 180 == 0:
        return (left, bottom, right, top)
    side = max(right - left, top - bottom)
    return (left, bottom, left + side, bottom + side)


def _lies_on(word: RawWord, space: PageSpace, boxes: Sequence[Box]) -> bool:
    place = space.box(word.left, word.bottom, word.right, word.top)
    return any(inside(place, box) for box in boxes)


class _Paper:
    """A page as it looks, drawn when it is first asked for."""

    def __init__(self, page: pypdfium2.PdfPage, space: PageSpace) -> None:
        self._page = page
        self._space = PageSpace(space.visible, page.get_rotation())
        self._pixels: np.ndarray | None = None

    def is_blank_at(self, word: RawWord) -> bool:
        """Whether all is white where a word is said to be."""
        if self._pixels is None:
            self._pixels = self._draw()
        x0, y0, x1, y1 = self._space.box(word.left, word.bottom, word.right, word.top)
        part = self._pixels[max(int(y0), 0) : int(y1) + 1, max(int(x0), 0) : int(x1) + 1]
        return part.size == 0 or int(part.min()) >= _NEARLY_WHITE

    def _draw(self) -> "np.ndarray":
        bitmap = self._page.render(grayscale=True, may_draw_forms=False)
        try:
            return np.array(bitmap.to_numpy())
        finally:
            bitmap.close()
