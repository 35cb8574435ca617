import math

import pytest
from haystack import Document

from khub.components.catalog.picture import Picture
from khub.components.ocr.scanned_layout import scanned_layout
from khub.components.ocr.scanned_pages import with_scanned_pages
from khub.components.ocr.text_line import ReadPicture, TextLine
from tests.components.ocr.scans import line

pytestmark = pytest.mark.unit

TEXT = "running text that fills most of the width"


def sizes_of(*lines: TextLine) -> list[float]:
    layout = scanned_layout(1, (600, 800), ReadPicture(1200, 1600, 0, list(lines)), 0.5)
    return [segment.size for segment in layout.segments]


def test_places_are_points_of_the_page() -> None:
    read = ReadPicture(1200, 1600, 0, [line("two words", 100, 200, 500, 40)])
    layout = scanned_layout(3, (600, 800), read, 0.5)
    (segment,) = layout.segments
    assert (segment.x0, segment.top, segment.x1, segment.bottom) == (50, 100, 250, 120)
    assert [word.text for word in segment.words] == ["two", "words"]
    assert segment.words[0].x1 < segment.words[1].x0
    assert (layout.index, layout.words) == (2, 2)


def test_lines_below_the_least_score_are_left_out() -> None:
    read = ReadPicture(600, 800, 0, [line("sure", 10, 10, 90), line("unsure", 10, 60, 90, score=0.4)])
    assert [s.text for s in scanned_layout(1, (600, 800), read, 0.5).segments] == ["sure"]


def test_heights_that_differ_a_little_are_one_size() -> None:
    assert (
        len(set(sizes_of(line(TEXT, 0, 0, 1000, 40), line(TEXT, 0, 60, 1000, 44), line(TEXT, 0, 120, 1000, 36)))) == 1
    )


def test_large_line_has_a_larger_size_but_a_short_one_must_be_larger_still() -> None:
    body, heading, tail = sizes_of(
        line(TEXT, 0, 0, 1000, 40), line("A heading", 0, 90, 400, 56), line("end.", 0, 160, 90, 56)
    )
    assert heading > 1.3 * body
    assert tail == body


def test_slope_of_a_skewed_page_is_taken_out() -> None:
    slope = math.radians(2)

    def skewed(text: str, left: float, top: float, right: float) -> TextLine:
        straight = line(text, left, top, right, 30)
        points = [
            (x * math.cos(slope) - y * math.sin(slope), x * math.sin(slope) + y * math.cos(slope))
            for x, y in straight.corners
        ]
        return TextLine(text, 0.99, tuple(points))  # type: ignore[arg-type]

    read = ReadPicture(1200, 1600, 0, [skewed(TEXT, 100, 400, 600), skewed(TEXT, 700, 400, 1150)])
    left, right = scanned_layout(1, (1200, 1600), read, 0.5).segments
    assert left.baseline == pytest.approx(right.baseline, abs=1)


@pytest.mark.parametrize(
    ("turn", "box"),
    [(0, (10, 20, 210, 40)), (90, (20, 590, 40, 790)), (180, (390, 760, 590, 780)), (270, (560, 10, 580, 210))],
)
def test_a_block_of_a_turned_page_has_its_place_on_the_page_as_shown(turn: int, box: tuple[float, ...]) -> None:
    width, height = (800, 600) if turn % 180 else (600, 800)
    read = ReadPicture(width, height, turn, [line("A line of words", 10, 20, 210, 20)])
    picture = Picture(1, 1, (0, 0, 600, 800), 600, 800, "image/png", b"", "page")
    empty = Document(content="", meta={"page_starts": [0], "page_count": 1})
    (block,) = with_scanned_pages(empty, {1: (picture, read)}, 0.5).meta["blocks"]
    assert block["bbox"] == box
