"""Words of a page with their places and fonts, with as few calls into PDFium as that takes.

One call gives the page's text; places and fonts are asked for the first and the last character of each word only, and
character by character only where a font changes inside a word.
"""

import ctypes
import math
import re
from typing import Literal, NamedTuple

import pypdfium2.raw as pdfium

from khub.components.converters.blocks import Box
from khub.components.converters.pdf import pdfium_calls as calls
from khub.components.converters.pdf.fonts import FontTraits, font_traits
from khub.components.converters.pdf.leaders import leader_pieces
from khub.components.converters.pdf.scripts import is_cjk

# PDFium marks the hyphen of a word that it joined over a line end by one of these characters.
_TOKEN = re.compile("[^\\s\x00-\x1f\ufffe\uffff]+[\x02\ufffe]?|\r?\n|[\x02\ufffe]")
_JOINED = "\x02\ufffe"
_FILL_AND_STROKE, _INVISIBLE = 2, 3
_FILLED = (0, 4)
_HUGE = 400.0
_RAISED = 0.2
_SAME = 0.3
_FLAT = 0.6
_DESCENT = 0.12
_SKEW = 8.0
_WHITE = 250
_DRAWN = 0.1
Ink = Literal["dark", "white", "none"]


class Style(NamedTuple):
    """How a run of characters is set.

    :param angle: counter-clockwise in the page's own coordinates, a multiple of 90 unless the text runs aslant.
    :param flat: whether PDFium gave the box of the shape's ink instead of the character's place in its line.
    :param drop: from the lower side of a character's box (as its reader sees it) up to its baseline.
    :param ink: "white" cannot be seen on paper alone, "none" nowhere.
    """

    font: int
    size: float
    bold: bool
    mono: bool
    fixed: bool
    italic: bool
    angle: int
    drop: float
    flat: bool
    ink: Ink = "dark"


_NO_STYLE = Style(0, 1.0, False, False, False, False, 0, 0.0, False)


class RawWord(NamedTuple):
    """A word in the page's own coordinates.

    :param line: number of PDFium's own line.
    :param start: index of its first character.
    :param uri: address of the link on it, or "".
    """

    text: str
    left: float
    bottom: float
    right: float
    top: float
    style: Style
    spaced: bool
    line: int
    start: int
    end: int
    uri: str = ""


class TextReader:
    """Reads the words of one page.

    :param text_page: PDFium's text page, as a pypdfium2 raw handle.
    """

    def __init__(self, text_page: object) -> None:
        self.handle = calls.address(text_page)
        self.count = max(pdfium.FPDFText_CountChars(text_page), 0)
        self.text = self._read_text(text_page)
        self._box = pdfium.FS_RECTF()
        self._box_at = ctypes.addressof(self._box)
        self._matrix = pdfium.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._origin_at = (ctypes.addressof(self._x), ctypes.addressof(self._y))
        self._fonts: dict[int, FontTraits] = {}
        self._last_object: int | None = None
        self._last_height = 0.0
        self._last_style = _NO_STYLE
        self._color = (ctypes.c_uint * 4)()
        self._color_at = [ctypes.addressof(self._color) + place * ctypes.sizeof(ctypes.c_uint) for place in range(4)]
        self._styles: dict[tuple[int, int, int, int, Ink], Style] = {}

    def words(self) -> list[RawWord]:
        """Return all words, in PDFium's order."""
        found: list[RawWord] = []
        line, fresh, end = 0, True, -1
        for token in _TOKEN.finditer(self.text):
            text = token[0]
            if text[-1] == "\n":
                line, fresh = line + 1, True
                continue
            start = token.start()
            for piece in leader_pieces(text):  # a leader leads from one cell to the next, and is a part of neither
                self._add(found, piece, start, start != end, line, fresh)
                start, end, fresh = start + len(piece), start + len(piece), False
            if text[-1] in _JOINED:
                line, fresh = line + 1, True
        return found

    def char_box(self, index: int) -> Box:
        """Return left, bottom, right, top of one character."""
        box = self._box
        if not calls.char_box(self.handle, index, self._box_at):
            return (0.0, 0.0, 0.0, 0.0)
        return (box.left, box.bottom, box.right, box.top)

    def origin(self, index: int) -> tuple[float, float]:
        """Return the point on the baseline where a character begins."""
        calls.char_origin(self.handle, index, *self._origin_at)
        return self._x.value, self._y.value

    def is_space(self, index: int) -> bool:
        """Whether a character is white space that the file has, not one that PDFium put between two words."""
        return self.text[index].isspace() and not calls.char_is_generated(self.handle, index)

    def _add(self, found: list[RawWord], text: str, start: int, spaced: bool, line: int, fresh: bool) -> None:
        last = start + len(text) - 1
        if text[-1] in _JOINED:
            text = text[:-1] + "-"
        if "\u00ad" in text:
            text = self._with_drawn_hyphens(text, start)
        box, style = self._placed(start, fresh)
        if last > start:
            end_box, end_style = self._placed(last, False)
            same = style is end_style and box[1] == end_box[1]
            if not same and self._differ(style, box, end_style, end_box):
                self._split(found, text, start, spaced, line)
                return
            box = (box[0], box[1], end_box[2], box[3]) if same and box[0] <= end_box[0] else _union(box, end_box)
        found.append(RawWord(text, *box, style, spaced, line, start, last + 1))

    def _with_drawn_hyphens(self, text: str, start: int) -> str:
        """Write soft hyphens as hyphens where they take room on the page."""
        letters = list(text)
        for offset, letter in enumerate(letters):
            left, bottom, right, top = self.char_box(start + offset)
            if letter == "\u00ad" and right - left > _DRAWN * (top - bottom):
                letters[offset] = "-"
        return "".join(letters)

    def _split(self, found: list[RawWord], text: str, start: int, spaced: bool, line: int) -> None:
        """Add one word for each stretch of characters of the same font, size and baseline."""
        begin = 0
        previous: tuple[Style, Box] | None = None
        union = (0.0, 0.0, 0.0, 0.0)
        for offset in range(len(text)):
            box, style = self._placed(start + offset, False)
            if previous is not None and self._differ(*previous, style, box):
                piece = text[begin:offset]
                found.append(RawWord(piece, *union, previous[0], spaced, line, start + begin, start + offset))
                begin, spaced, previous = offset, False, None
            union = box if previous is None else _union(union, box)
            previous = (style, box)
        if previous is not None:
            span = (start + begin, start + len(text))
            found.append(RawWord(text[begin:], *union, previous[0], spaced, line, *span))

    @staticmethod
    def _differ(one: Style, one_box: tuple[float, ...], other: Style, other_box: tuple[float, ...]) -> bool:
        if one.angle != other.angle or one.bold != other.bold or one.ink != other.ink:
            return True
        if abs(one.size - other.size) > 0.12 * one.size:
            return True
        if one.angle:
            return False
        shift = (one_box[1] + one.drop) - (other_box[1] + other.drop)
        return abs(shift) > _RAISED * max(one.size, other.size)

    def _placed(self, index: int, fresh: bool) -> tuple[Box, Style]:
        corners = self._box
        if calls.char_box(self.handle, index, self._box_at):
            box = (corners.left, corners.bottom, corners.right, corners.top)
        else:
            box = (0.0, 0.0, 0.0, 0.0)
        text_object = calls.char_object(self.handle, index)
        height = box[3] - box[1]
        if text_object == self._last_object and not fresh and -_SAME < height - self._last_height < _SAME:
            style = self._last_style
        else:
            style = self._style(index, box, text_object, fresh)
            self._last_object, self._last_height, self._last_style = text_object, height, style
        if style.flat and calls.char_origin(self.handle, index, *self._origin_at):
            y = self._y.value
            box = (box[0], y - _DESCENT * style.size, box[2], y + (1 - _DESCENT) * style.size)
        return box, style

    def _style(self, index: int, box: Box, text_object: int | None, fresh: bool) -> Style:
        font = calls.object_font(text_object) or 0 if text_object else 0
        mode = calls.object_render_mode(text_object) if text_object else 0
        ink = self._ink(text_object, mode) if text_object else "dark"
        matrix = self._matrix
        known = calls.char_matrix(self.handle, index, ctypes.addressof(matrix))
        angle = _angle(matrix.a, matrix.b) if known else 0
        key = (font, mode, int((box[3] - box[1]) * 8), angle, ink)
        style = self._styles.get(key)
        # The first character of a line is always asked: a line that runs in another direction has other boxes.
        if style is None or fresh:
            size = calls.char_font_size(self.handle, index) * math.hypot(matrix.c, matrix.d) if known else 0.0
            style = self._measure(index, box, font, mode, angle, size)._replace(ink=ink)
            self._styles[key] = style
        return style

    def _ink(self, text_object: int, mode: int) -> Ink:
        if mode == _INVISIBLE:
            return "none"
        if mode not in _FILLED or not calls.object_fill(text_object, *self._color_at):
            return "dark"
        red, green, blue, alpha = self._color
        if not alpha:
            return "none"
        return "white" if min(red, green, blue) > _WHITE else "dark"

    def _measure(self, index: int, box: Box, font: int, mode: int, angle: int, size: float) -> Style:
        extent = box[3] - box[1] if angle % 180 == 0 else box[2] - box[0]
        if not 0.3 * extent <= size <= _HUGE:
            size = extent or 1.0
        drop = 0.2 * extent
        flat = angle == 0 and extent < _FLAT * size
        if flat:
            drop = _DESCENT * size
        elif calls.char_origin(self.handle, index, *self._origin_at):
            drop = self._drop(box, angle)
        if font and font not in self._fonts:
            self._fonts[font] = font_traits(font)
        traits = self._fonts.get(font) or FontTraits(False, False, False, False)
        bold = traits.bold or mode == _FILL_AND_STROKE
        return Style(font, size, bold, traits.mono, traits.fixed, traits.italic, angle, drop, flat)

    def _drop(self, box: Box, angle: int) -> float:
        if angle % 180 == 0:
            return self._y.value - box[1] if angle == 0 else box[3] - self._y.value
        return box[2] - self._x.value if angle == 90 else self._x.value - box[0]

    def _read_text(self, text_page: object) -> str:
        if not self.count:
            return ""
        buffer = (ctypes.c_ushort * (2 * self.count + 2))()
        length = pdfium.FPDFText_GetText(text_page, 0, self.count, buffer) - 1
        text = bytes(memoryview(buffer)[: max(length, 0)]).decode("utf-16-le", "replace")
        if len(text) == self.count:
            return text
        # PDFium left characters out or put some in: an index into the text must be one into its characters.
        codes = (calls.char_unicode(self.handle, index) for index in range(self.count))
        return "".join(chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\x00" for code in codes)


def _angle(a: float, b: float) -> int:
    """Return the direction of text in degrees; that of a scan laid down a little askew is straight."""
    if b == 0 and a > 0:
        return 0
    degrees = math.degrees(math.atan2(b, a))
    straight = round(degrees / 90) * 90
    return (straight if abs(degrees - straight) <= _SKEW else round(degrees)) % 360


def _union(one: Box, other: Box) -> Box:
    return (min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]))


def is_mono(word: RawWord) -> bool:
    """Whether a word is monospaced; a CJK font's fixed pitch says nothing about CJK text."""
    style = word.style
    return style.mono or (style.fixed and not any(map(is_cjk, word.text)))
