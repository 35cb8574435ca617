"""What an OCR engine reads in a picture: lines of text with their places."""

import json
from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line, or a part of it that stands apart.

    :param text: the words.
    :param score: confidence, 0 to 1.
    :param corners: top left, top right, bottom right, bottom left as the line is read, in pixels.
    """

    text: str
    score: float
    corners: tuple[Point, Point, Point, Point]


@dataclass(frozen=True, slots=True)
class ReadPicture:
    """All that was read in one picture.

    :param width: of the picture as it was read, upright, in pixels.
    :param height: likewise.
    :param turn: degrees by which the picture was turned clockwise to make its text upright: 0, 90, 180 or 270.
    :param lines: in the coordinates of the upright picture, of every confidence.
    """

    width: int
    height: int
    turn: int
    lines: list[TextLine]

    def confident(self, least: float) -> list[TextLine]:
        """Return the lines with a score of at least `least`."""
        return [line for line in self.lines if line.score >= least]

    def to_json(self) -> str:
        """Serialize."""
        lines = [[line.text, round(line.score, 3), line.corners] for line in self.lines]
        return json.dumps([self.width, self.height, self.turn, lines], ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "ReadPicture":
        """Build it from what `to_json` returned."""
        width, height, turn, lines = json.loads(text)
        return cls(width, height, turn, [_line(*fields) for fields in lines])


def _line(text: str, score: float, corners: list[list[float]]) -> TextLine:
    first, second, third, fourth = ((float(x), float(y)) for x, y in corners)
    return TextLine(text, score, (first, second, third, fourth))
