"""Phase one: everything that one page of the file says, as a `PageLayout`."""

from collections.abc import Sequence

import pypdfium2

from khub.components.converters.pdf.asides import set_overlays_apart
from khub.components.converters.pdf.bullets import add_bullets
from khub.components.converters.pdf.deadline import Deadline
from khub.components.converters.pdf.doubled_letters import without_doubles
from khub.components.converters.pdf.drawing_reader import DrawingReader, Drawings
from khub.components.converters.pdf.drawn_boxes import drawn_boxes
from khub.components.converters.pdf.figure_finder import find_figures
from khub.components.converters.pdf.filled_forms import fill_in
from khub.components.converters.pdf.form_reader import read_filled_in
from khub.components.converters.pdf.hidden_words import seen_words
from khub.components.converters.pdf.layout import PageLayout, Segment
from khub.components.converters.pdf.link_reader import read_links
from khub.components.converters.pdf.page_space import PageSpace
from khub.components.converters.pdf.picture_taker import PictureTaker
from khub.components.converters.pdf.segments import build_segments, with_links
from khub.components.converters.pdf.text_quality import is_garbled
from khub.components.converters.pdf.text_reader import RawWord, TextReader
from khub.components.converters.pdf.turned_text import aslant_lines, is_aslant, turned_lines
from khub.components.converters.pdf.vertical_text import with_columns

PAGE_SECONDS = 30.0


def read_page(document: pypdfium2.PdfDocument, index: int, pictures: bool = True) -> PageLayout:
    """Read one page.

    :param document: the open document.
    :param index: of the page, from 0.
    :param pictures: whether images and drawings are taken out as image files; without them only their places are kept.
    :raises pypdfium2.PdfiumError: when the page cannot be opened.
    :raises PageTooSlowError: when it takes longer than `PAGE_SECONDS`.
    """
    deadline = Deadline(PAGE_SECONDS)
    page = document[index]
    try:
        return _read(document, page, index, pictures, deadline)
    finally:
        page.close()


def _read(
    document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage, index: int, pictures: bool, deadline: Deadline
) -> PageLayout:
    text_page = page.get_textpage()
    try:
        reader = TextReader(text_page.raw)
        raw = with_columns(without_doubles(reader.words(), reader))
        deadline.check()
        garbled = is_garbled(reader)
        if raw and not garbled:
            links = read_links(document.raw, page.raw)
            if links:
                raw = with_links(raw, links, reader)
        shown = PageSpace(_visible(page), page.get_rotation())
        space = shown.turned(_direction(raw, shown))
        drawings = DrawingReader(page.raw, space, deadline).read()
        seen = [] if garbled else seen_words(raw, page, space, drawings)
        segments = _segments(seen, space, reader)
        if not garbled:
            filled = read_filled_in(document, page, space)
            filled += drawn_boxes(drawings, segments, filled)
            fill_in(segments, filled, drawings.rulings)
    finally:
        text_page.close()
    add_bullets(segments, drawings.dots)
    layout = _layout(page, index, space, segments, drawings, reader, garbled, pictures, deadline)
    layout.hidden = 0 if garbled else len(raw) - len(seen)
    return layout


def _segments(words: list[RawWord], space: PageSpace, reader: TextReader) -> list[Segment]:
    upright = [word for word in words if word.style.angle == space.rotation]
    segments = build_segments(upright, space)
    if len(upright) < len(words):
        aslant = [word for word in words if is_aslant(word)]
        turned = [word for word in words if word.style.angle != space.rotation and not is_aslant(word)]
        segments += [*turned_lines(turned, space), *aslant_lines(aslant, space, reader)]
    set_overlays_apart(segments)
    return segments


def _layout(
    page: pypdfium2.PdfPage,
    index: int,
    space: PageSpace,
    segments: list[Segment],
    drawings: Drawings,
    reader: TextReader,
    garbled: bool,
    pictures: bool,
    deadline: Deadline,
) -> PageLayout:
    width, height = space.size
    words = len(reader.text.split())
    layout = PageLayout(index, round(width, 1), round(height, 1), segments, words=words)
    layout.turn = (space.rotation - page.get_rotation()) % 360
    layout.garbled = words if garbled else 0
    layout.figures, layout.needs_ocr = find_figures(drawings, segments, (width, height), garbled)
    layout.rulings, layout.fills = drawings.rulings, drawings.fills
    if pictures:
        taker = PictureTaker(page, space, deadline)
        layout.figures = [taker.take(figure, drawings) for figure in layout.figures]
    return layout


def _visible(page: pypdfium2.PdfPage) -> tuple[float, float, float, float]:
    left, bottom, right, top = page.get_bbox()
    return (left, bottom, right, top) if right > left and top > bottom else (0.0, 0.0, 612.0, 792.0)


def _direction(words: Sequence[RawWord], space: PageSpace) -> int:
    """Return the direction in which most of the text runs, against the page as shown."""
    weights: dict[int, int] = {}
    for word in words:
        if is_aslant(word):
            continue
        angle = (word.style.angle - space.rotation) % 360
        weights[angle] = weights.get(angle, 0) + len(word.text)
    return max(weights, key=lambda angle: weights[angle]) if weights else 0
