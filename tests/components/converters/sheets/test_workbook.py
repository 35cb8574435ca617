import io

import openpyxl
import pytest
from openpyxl.drawing.image import Image as SheetImage

from components.converters.conversion import build_markitdown, convert_bytes
from tests.components.converters.files import png

pytestmark = pytest.mark.unit


def read(book):
    out = io.BytesIO()
    book.save(out)
    return convert_bytes(build_markitdown(), out.getvalue(), "a.xlsx", 50)


def test_hidden_sheets_formats_merged_cells_and_properties():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Region", "Share"])
    for region, share in (("North", 0.125), (None, 0.5)):
        sheet.append([region, share])
        sheet.cell(sheet.max_row, 2).number_format = "0.0%"
    sheet.merge_cells("A2:A3")
    for name, state in (("old", "hidden"), ("secret", "veryHidden")):
        other = book.create_sheet(name)
        other["A1"], other.sheet_state = name, state
    book.properties.title, book.properties.creator = "Shares", "Ann"
    converted = read(book)
    assert converted["text"] == (
        "## Sheet\n\n| Region | Share |\n| --- | --- |\n| North | 12.5% |\n| North | 50.0% |\n\n"
        "## old (hidden sheet)\n\nold"
    )
    assert converted["title"] == "Shares"
    assert converted["metadata"]["author"] == "Ann"


def test_large_table_in_groups():
    book = openpyxl.Workbook()
    book.active.append(["number", "square"])
    for number in range(200):
        book.active.append([number, number * number])
    text = read(book)["text"]
    assert text.count("| number | square |") > 3
    assert all(f"| {n} | {n * n} |" in text for n in range(200))


def test_pictures_of_a_sheet():
    book = openpyxl.Workbook()
    book.active["A1"] = "Plan"
    book.active.add_image(SheetImage(io.BytesIO(png(90, 70))), "C3")
    converted = read(book)
    assert converted["text"] == "## Sheet\n\nPlan\n\n[IMAGE: 1@0]"
    assert converted["pictures"][0]["width"] == 90
