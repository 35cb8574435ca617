"""The title of a presentation: what its first slide shows."""

import io

import pptx
import pytest
from pptx.util import Inches, Pt

from khub.components.converters.conversion import build_markitdown, convert_bytes

pytestmark = pytest.mark.unit


def title_of(*slides, named=None, placed=None):
    """Read a deck whose slides are lists of (text, points)."""
    deck = pptx.Presentation()
    deck.core_properties.title = named or ""
    for number, lines in enumerate(slides):
        slide = deck.slides.add_slide(deck.slide_layouts[0 if placed and not number else 6])
        if placed and not number:
            slide.shapes.title.text, slide.placeholders[1].text = placed
        for row, (text, points) in enumerate(lines):
            shape = slide.shapes.add_textbox(Inches(1), Inches(row), Inches(6), Inches(1))
            shape.text_frame.text = text
            shape.text_frame.paragraphs[0].runs[0].font.size = Pt(points)
    out = io.BytesIO()
    deck.save(out)
    return convert_bytes(build_markitdown(), out.getvalue(), "a.pptx", 50)["title"]


PLAN = [("一、涉水观测的背景", 20), ("苍鹭很少", 18)]


@pytest.mark.parametrize(
    "named", ["PowerPoint 演示文稿", "PowerPoint Presentation", "Slide 1", "PPT汇_PPT模板免费下载"]
)
def test_the_largest_text_of_the_first_slide_wins_over_what_the_program_wrote(named):
    cover = [("2019", 66), ("BUSINESS REPORT", 14), ("苍鹭涉水观测项目答辩", 54), ("汇报人：鹭", 16)]
    assert title_of(cover, PLAN, named=named) == "苍鹭涉水观测项目答辩"


def test_the_place_of_the_title_wins_over_larger_letters():
    found = title_of([("2024", 96), ("HERON", 80)], placed=("How herons wade", "by day"))
    assert found == "How herons wade"


def test_a_short_title_takes_lines_that_are_nearly_as_large():
    assert title_of([("聊天室", 60), ("项目答辩汇报", 40), ("时间：2023.12", 20)], PLAN) == "聊天室 · 项目答辩汇报"


def test_properties_count_where_the_slides_say_them_and_the_first_shows_no_title():
    slides = [("汇报人：鹭", 30)], [("Peer networking of herons", 20)]
    assert title_of(*slides, named="Peer networking of herons") == "Peer networking of herons"
    assert title_of(*slides, named="Quarterly sales") is None


def test_a_first_slide_without_text_gives_way_to_the_second():
    assert title_of([], [("How herons wade by day", 40), ("in rivers", 20)]) == "How herons wade by day"


def test_the_kind_of_the_deck_below_its_title_belongs_to_it():
    report = [("44组 苍鹭观测系统", 60), ("需求工程结题报告", 18)]
    assert title_of(report, PLAN) == "44组 苍鹭观测系统 · 需求工程结题报告"
