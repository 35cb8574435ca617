"""Lines that were read in a scanned page, as the layout that the PDF reader makes text of."""

import math
import re
import unicodedata
from collections.abc import Sequence
from statistics import median

from khub.components.converters.blocks import Box
from khub.components.converters.pdf import PageLayout, Segment, Word
from khub.components.ocr.text_line import Point, ReadPicture, TextLine

_WORD = re.compile(r"((?:(?<!\s)\s++)?)(\S++)")
_STEEPEST = 10.0
_WIDE = 4.0
_BODY = (0.72, 1.22)
_BODY_SHORT = (0.55, 1.6)
_SHORT = 4
_SAME_SIZE = 1.15
_FONT_SHARE = 0.82
_DESCENT = 0.2


def scanned_layout(page: int, size: tuple[float, float], read: ReadPicture, least: float) -> PageLayout:
    """Lay out one page.

    :param page: number, from 1.
    :param size: width and height of the page as it is shown, in points.
    :param read: what was read in its picture.
    :param least: lines with a lower score are left out.
    :returns: the page with its text upright; `turn` says how far it was turned for that.
    """
    width, height = size if read.turn % 180 == 0 else (size[1], size[0])
    layout = PageLayout(page - 1, round(width, 1), round(height, 1), turn=read.turn)
    lines = read.confident(least)
    scale = (width / max(read.width, 1), height / max(read.height, 1))
    straight = _straightened(lines, (read.width / 2, read.height / 2))
    heights = [scale[1] * _height(line) * _FONT_SHARE for line in lines]
    sizes = _settled(heights, [len(line.text) for line in lines])
    layout.segments = [
        _segment(line.text, box, scale, font) for line, box, font in zip(lines, straight, sizes, strict=True)
    ]
    layout.words = sum(len(segment.words) for segment in layout.segments)
    return layout


def _height(line: TextLine) -> float:
    first, second, third, fourth = line.corners
    return (math.dist(first, fourth) + math.dist(second, third)) / 2


def _straightened(lines: Sequence[TextLine], centre: Point) -> list[Box]:
    """Return the boxes of lines after the page has been turned by the slope that most long lines have."""
    slopes = []
    for line in lines:
        (x0, y0), (x1, y1) = line.corners[0], line.corners[1]
        if x1 - x0 > _WIDE * _height(line):
            slopes.append(math.atan2(y1 - y0, x1 - x0))
    slope = median(slopes) if slopes else 0.0
    if abs(math.degrees(slope)) > _STEEPEST:
        slope = 0.0
    sine, cosine = math.sin(-slope), math.cos(-slope)
    boxes = []
    for line in lines:
        points = [
            (
                centre[0] + (x - centre[0]) * cosine - (y - centre[1]) * sine,
                centre[1] + (x - centre[0]) * sine + (y - centre[1]) * cosine,
            )
            for x, y in line.corners
        ]
        # A line of its own slope keeps its middle and its height, so that it does not reach into its neighbours.
        middle = sum(y for _, y in points) / 4
        half = _height(line) / 2
        boxes.append((min(x for x, _ in points), middle - half, max(x for x, _ in points), middle + half))
    return boxes


def _settled(heights: Sequence[float], lengths: Sequence[int]) -> list[float]:
    """Return font sizes without the noise of boxes: all that is near the size of the running text has that size.

    The box of a few characters says less than that of a whole line.
    """
    if not heights:
        return []
    body = _weighted_median(heights, lengths)
    sizes = list(heights)
    group: list[int] = []
    for index in sorted(range(len(heights)), key=lambda each: heights[each]):
        if _is_near(heights[index] / body, _BODY_SHORT if lengths[index] <= _SHORT else _BODY):
            sizes[index] = body
            continue
        if group and heights[index] > _SAME_SIZE * heights[group[0]]:
            group = []
        group.append(index)
        middle = median(heights[each] for each in group)
        for each in group:
            sizes[each] = middle
    return [round(size, 1) for size in sizes]


def _is_near(ratio: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= ratio <= bounds[1]


def _weighted_median(values: Sequence[float], weights: Sequence[int]) -> float:
    half = sum(weights) / 2
    for value, weight in sorted(zip(values, weights, strict=True)):
        half -= weight
        if half <= 0:
            return value
    return max(values)


def _segment(text: str, box: Box, scale: Point, font: float) -> Segment:
    left, top, right, bottom = box[0] * scale[0], box[1] * scale[1], box[2] * scale[0], box[3] * scale[1]
    baseline = (top + bottom) / 2 + (0.5 - _DESCENT) * font
    words = [
        Word(word, round(left + start * (right - left), 1), round(left + end * (right - left), 1), spaced)
        for word, start, end, spaced in _words(text)
    ]
    return Segment(words, round(left, 1), round(top, 1), round(right, 1), round(bottom, 1), round(baseline, 1), font)


def _words(text: str) -> list[tuple[str, float, float, bool]]:
    """Return each word with the shares of the line's width at which it begins and ends."""
    total = _width(text)
    words = []
    at = 0.0
    for gap, word in _WORD.findall(text):
        at += _width(gap)
        words.append((word, at / total, (at + _width(word)) / total, bool(gap)))
        at += _width(word)
    return words


def _width(text: str) -> float:
    return sum(
        2.0 if unicodedata.east_asian_width(character) in "WF" else 0.6 if character in " .,:;'|!ilI" else 1.0
        for character in text
    )
