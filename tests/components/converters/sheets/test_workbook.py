import io
import zipfile

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image as SheetImage

from khub.components.converters.conversion import build_markitdown, convert_bytes
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


def with_rows(*rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    return book


def test_comments_name_their_author_cell_row_and_column():
    book = with_rows(["Part", "Stock"], ["Valve", 7], ["Pump", 9])
    book.active["B2"].comment = Comment("Recount due in May", "KM")
    book.active["D9"].comment = Comment("Ann:\nalone", "Ann")
    table, *comments = read(book)["text"].split("\n\n")[1:]
    assert "| Valve | 7 |" in table
    assert [all(word in comments[0] for word in ("KM", "B2", "Valve", "Stock", "Recount due in May"))] == [True]
    assert comments[1].endswith("Ann on D9: alone")


def test_remarks_of_a_thread():
    out = io.BytesIO()
    with_rows(["Part", "Stock"], ["Valve", 7]).save(out)
    space = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
    kind = "http://schemas.microsoft.com/office/2017/10/relationships/"
    relations = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
    with zipfile.ZipFile(out) as old, zipfile.ZipFile(again := io.BytesIO(), "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "xl/_rels/workbook.xml.rels":
                person = f'<Relationship Id="p" Type="{kind}person" Target="persons/person.xml"/></Relationships>'
                data = data.replace(b"</Relationships>", person.encode())
            new.writestr(name, data)
        thread = f'<Relationship Id="t" Type="{kind}threadedComment" Target="../threadedComments/t.xml"/>'
        copy = f'<Relationship Id="c" Type="{kind}comments" Target="../comments1.xml"/>'
        new.writestr("xl/worksheets/_rels/sheet1.xml.rels", relations.format(thread + copy))
        new.writestr(
            "xl/persons/person.xml", f'<personList xmlns="{space}"><person displayName="李雷" id="1"/></personList>'
        )
        new.writestr(
            "xl/threadedComments/t.xml",
            f'<ThreadedComments xmlns="{space}"><threadedComment ref="B2" personId="1"><text>请复核</text>'
            "</threadedComment>"
            '<threadedComment ref="B2" personId="1"><text>done</text></threadedComment></ThreadedComments>',
        )
        new.writestr(
            "xl/comments1.xml",
            '<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><authors><author>tc={1}</author>'
            '</authors><commentList><comment ref="B2" authorId="0"><text><t>[Threaded comment]</t></text></comment>'
            "</commentList></comments>",
        )
    text = convert_bytes(build_markitdown(), again.getvalue(), "a.xlsx", 50)["text"]
    assert [line.rpartition(": ")[2] for line in text.splitlines() if "李雷" in line] == ["请复核", "done"]
    assert "Threaded comment" not in text


def test_a_formula_without_a_value_is_shown_itself():
    converted = read(with_rows(["a", "b", "sum"], [1, 2, "=SUM(A2:B2)"], [3, 4, "=A3+B3"]))
    assert "| 1 | 2 | =SUM(A2:B2) |\n| 3 | 4 | =A3+B3 |" in converted["text"]
    assert list(converted["removed"].values()) == [2]
    assert "removed" not in read(with_rows(["a", "b"], [1, 2]))


def test_hidden_rows_and_columns_are_marked():
    book = with_rows(["Part", "Cost", "Stock"], ["Valve", 3, 7], ["Pump", 4, 9])
    book.active.row_dimensions[2].hidden = True
    book.active.column_dimensions["B"].hidden = True
    head, _, valve, pump = read(book)["text"].splitlines()[2:]
    assert ["hidden" in cell for cell in head.strip("| ").split(" | ")] == [False, True, False]
    assert "hidden row" in valve
    assert "hidden" not in pump


def test_raised_digits():
    book = with_rows(["flow"])
    raised = TextBlock(InlineFont(vertAlign="superscript"), "5")
    book.active["A2"] = CellRichText("4.2×10", raised, " m", TextBlock(InlineFont(vertAlign="superscript"), "2"))
    assert "4.2×10^5 m²" in read(book)["text"]
