"""Whether a picture shows a page of text, or a figure with words in it."""

import unicodedata

from khub.components.ocr.text_line import ReadPicture

_LONG = 25  # the longest lines of most screenshots and diagrams have 20, those of a narrow column 30


def is_running_text(read: ReadPicture, min_confidence: float) -> bool:
    """Say whether half of what was read stands in long lines; a Chinese character counts twice.

    :param read: what was read in a picture.
    :param min_confidence: lines with a lower score do not count.
    """
    widths = [_width(line.text) for line in read.confident(min_confidence)]
    return bool(widths) and 2 * sum(width for width in widths if width >= _LONG) >= sum(widths)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
