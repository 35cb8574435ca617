"""What is read from one page of a PDF: words with their places and fonts, ruling lines, figures, links.

All coordinates are points with the origin at the top left of the page as it is shown.
"""

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.page_space import turned_back

FigureKind = Literal["raster", "drawing", "page"]


class Word(NamedTuple):
    """One word (in CJK text: all that stands without a gap).

    :param spaced: whether white space stands before it.
    :param uri: target of the link on it, or "".
    :param raised: whether it is a superscript.
    """

    text: str
    x0: float
    x1: float
    spaced: bool = True
    uri: str = ""
    raised: bool = False


@dataclass(slots=True)
class Segment:
    """Words that follow each other on one baseline with no wide gap.

    :param size: font size of most of its characters.
    :param angle: direction of its text against the page's own in degrees; aslant where no multiple of 90.
    :param aside: whether it is set apart from the text: a watermark, a running head.
    """

    words: list[Word]
    x0: float
    top: float
    x1: float
    bottom: float
    baseline: float
    size: float
    bold: bool = False
    mono: bool = False
    angle: int = 0
    italic: bool = False
    aside: bool = False
    _text: str = field(default="", init=False, repr=False, compare=False)

    @property
    def box(self) -> Box:
        """Left, top, right, bottom."""
        return (self.x0, self.top, self.x1, self.bottom)

    @property
    def text(self) -> str:
        """Its words as one string, without links."""
        if not self._text:
            self._text = "".join([f" {word.text}" if word.spaced else word.text for word in self.words]).strip()
        return self._text

    @property
    def upright(self) -> bool:
        """Whether it is a part of the page's text."""
        return not self.angle and not self.aside


class Ruling(NamedTuple):
    """A straight horizontal or vertical line, or an edge of a filled rectangle; x0 == x1 or top == bottom."""

    x0: float
    top: float
    x1: float
    bottom: float


@dataclass(slots=True)
class Figure:
    """A picture on the page.

    :param data: base64 of the image file; "" when it was not taken out.
    :param digest: tells equal pictures apart from others.
    """

    box: Box
    kind: FigureKind
    width: int = 0
    height: int = 0
    mime: str = ""
    data: str = ""
    digest: str = ""


@dataclass(slots=True)
class PageLayout:
    """One page as it was read from the file.

    :param index: from 0.
    :param width: as shown, in points.
    :param words: how many words PDFium's own text of the page has.
    :param needs_ocr: whether there is something to see, but no readable text layer.
    :param garbled: words that were left out because they are no readable text.
    :param hidden: words that were left out because nobody sees them on the page.
    :param damaged: whether the page could not be read.
    :param turn: degrees by which the page was turned clockwise, beyond its own rotation, so that its text is upright;
        width, height and all places are those of the turned page.
    """

    index: int
    width: float = 0.0
    height: float = 0.0
    segments: list[Segment] = field(default_factory=list)
    rulings: list[Ruling] = field(default_factory=list)
    fills: list[Box] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    words: int = 0
    needs_ocr: bool = False
    garbled: int = 0
    hidden: int = 0
    damaged: bool = False
    turn: int = 0

    @property
    def shown_size(self) -> tuple[float, float]:
        """Width and height of the page as it is shown."""
        return (self.width, self.height) if self.turn % 180 == 0 else (self.height, self.width)

    def shown(self, box: Box) -> Box:
        """Turn a box back to the page as it is shown."""
        return turned_back(box, self.turn, (self.width, self.height))

    def without_content(self) -> "PageLayout":
        """Return what is left to be known of the page when its text has been found."""
        return replace(self, segments=[], rulings=[], fills=[], figures=[])
