import io

import pptx
import pytest
from PIL import Image
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from khub.components.converters.conversion import build_markitdown, convert_bytes

pytestmark = pytest.mark.unit


def read(deck):
    out = io.BytesIO()
    deck.save(out)
    return convert_bytes(build_markitdown(), out.getvalue(), "a.pptx", 50)


def box(shapes, text, left, top, width=3, height=1):
    shape = shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height))
    shape.text_frame.text = text
    return shape


def picture(color, side=80):
    out = io.BytesIO()
    Image.new("RGB", (side, side), color).save(out, "PNG")
    return io.BytesIO(out.getvalue())


def test_body_list_notes_and_hidden_slide():
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Plan"
    frame = slide.placeholders[1].text_frame
    frame.text = "first"
    frame.add_paragraph().text = "1. typed"
    deeper = frame.add_paragraph()
    deeper.text, deeper.level = "deeper", 1
    slide.notes_slide.notes_text_frame.text = "Say hello"
    slide._element.set("show", "0")
    assert read(deck)["text"] == (
        "# Plan\n\n(hidden slide)\n\n* first\n1. typed\n   * deeper\n\n### Notes\n\nSay hello"
    )


def test_raised_digits():
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "10"
    frame = box(slide.shapes, "CO", 1, 2).text_frame
    for paragraph, text, baseline in (
        (slide.shapes.title.text_frame.paragraphs[0], "6", "30000"),
        (frame.paragraphs[0], "2", "-25000"),
        (frame.paragraphs[0], " in 5 m", "0"),
        (frame.paragraphs[0], "3", "30000"),
    ):
        run = paragraph.add_run()
        run.text = text
        run.font._element.set("baseline", baseline)
    assert read(deck)["text"] == "# 10^6\n\nCO2 in 5 m³"


def test_columns_are_read_one_after_the_other():
    deck = pptx.Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
    box(shapes, "right top", 5, 2, height=3)
    box(shapes, "left bottom", 1, 3.5, height=2)
    box(shapes, "left top", 1, 2)
    box(shapes, "above", 1, 0.5, width=7)
    group = shapes.add_group_shape()
    box(group.shapes, "• grouped\n• twice", 1, 6.2)
    assert read(deck)["text"].split("\n\n") == ["above", "left top", "left bottom", "right top", "* grouped\n* twice"]


def test_tables_charts_links_and_properties():
    deck = pptx.Presentation()
    deck.core_properties.title, deck.core_properties.author = "Old deck", "Bo"
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Figures"
    table = slide.shapes.add_table(3, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for row, texts in enumerate((("Both", ""), ("a", "b|c"), ("1", "2"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    table.cell(0, 0).merge(table.cell(0, 1))
    data = CategoryChartData()
    data.categories = ["Q1", "Q2"]
    data.add_series("Sales", (1.5, 2))
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, Inches(1), Inches(4), Inches(4), Inches(2), data)
    run = box(slide.shapes, "", 1, 6.5).text_frame.paragraphs[0].add_run()
    run.text, run.hyperlink.address = "more", "https://a.b/c"
    converted = read(deck)
    assert "**Both**\n\n| a | b\\|c |\n| --- | --- |\n| 1 | 2 |" in converted["text"]
    assert "|   | Sales |\n| --- | --- |\n| Q1 | 1.5 |\n| Q2 | 2 |" in converted["text"]
    assert converted["text"].endswith("[more](https://a.b/c)")
    assert converted["title"] == "Figures"
    assert converted["metadata"]["author"] == "Bo"


def test_pictures_by_slide_without_the_logo():
    deck = pptx.Presentation()
    for number in range(3):
        shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
        shapes.add_picture(picture("red"), 0, 0)
        if number:
            shown = shapes.add_picture(picture((number, 0, 0)), Inches(2), Inches(2))
            shown._element.nvPicPr.cNvPr.set("descr", f"Chart of year {number}")
    converted = read(deck)
    assert converted["text"] == "[IMAGE: 1@2]\n\nChart of year 1\n\n[IMAGE: 1@3]\n\nChart of year 2"
    assert [(one["page"], one["seq"], one["alt"]) for one in converted["pictures"]] == [
        (2, 1, "Chart of year 1"),
        (3, 1, "Chart of year 2"),
    ]
    assert converted["empty_pages"] == [1]
