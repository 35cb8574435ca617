"""What is read from one page of a PDF: words with their places and fonts, ruling lines, figures, links.

All coordinates are points with the origin at the top left of the page as it is shown.
"""

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

from components.converters.blocks import Box

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
    :param angle: direction of its text against the page's own: 0, 90, 180 or 270 degrees.
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
    _text: str = field(default="", init=False, repr=False, compare=False)

    @property
    def text(self) -> str:
        """Its words as one string, without links."""
        if not self._text:
            self._text = "".join([f" {word.text}" if word.spaced else word.text for word in self.words]).strip()
        return self._text


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
    """One page as it was read from the file; `to_dict` and `from_dict` carry it across a process boundary.

    :param index: from 0.
    :param width: as shown, in points.
    :param words: how many words PDFium's own text of the page has.
    :param needs_ocr: whether there is something to see, but no readable text layer.
    :param garbled: words that were left out because they are no readable text.
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
    damaged: bool = False
    turn: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold; places are rounded to a tenth of a point."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        fields["segments"] = [_segment_fields(segment) for segment in self.segments]
        fields["figures"] = [asdict(figure) for figure in self.figures]
        return fields

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> "PageLayout":
        """Build it from what `to_dict` returned, even after a way through JSON."""
        return cls(
            **{
                **fields,
                "segments": [Segment([Word(*word) for word in words], *rest) for words, *rest in fields["segments"]],
                "rulings": [Ruling(*ruling) for ruling in fields["rulings"]],
                "fills": [tuple(box) for box in fields["fills"]],
                "figures": [Figure(**{**figure, "box": tuple(figure["box"])}) for figure in fields["figures"]],
            }
        )


def _segment_fields(segment: Segment) -> list[Any]:
    words = [[word.text, round(word.x0, 1), round(word.x1, 1), *word[3:]] for word in segment.words]
    places = (segment.x0, segment.top, segment.x1, segment.bottom, segment.baseline)
    return [words, *(round(place, 1) for place in places), segment.size, segment.bold, segment.mono, segment.angle]
