"""What LibreOffice writes in the formats from before 2007 is read without it; it takes seconds for each file."""

import hashlib
import io
import subprocess
import zipfile

import openpyxl
import pptx
import pytest

from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.converters.office import libreoffice
from tests.components.converters.files import word_file

pytestmark = pytest.mark.integration

TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/></Types>'
)
PARAGRAPH = '<w:p><w:pPr><w:outlineLvl w:val="{}"/></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>'


def word():
    rows = (("部门", "经费"), ("研发部", "￥3,400"))
    cells = ("".join(f"<w:tc>{PARAGRAPH.format(9, text)}</w:tc>" for text in row) for row in rows)
    table = f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"
    out = io.BytesIO(word_file(PARAGRAPH.format(0, "第一章 总则") + PARAGRAPH.format(9, "年假为十五天。") + table))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("[Content_Types].xml", TYPES)
    return out.getvalue()


def sheet():
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["地区", "计划"])
    book.active.append(["华北", 1234.5])
    book.active["B2"].number_format = "#,##0.00"
    book.create_sheet("隐藏")["A1"] = "秘密"
    book["隐藏"].sheet_state = "hidden"
    book.save(out)
    return out.getvalue()


def slides():
    deck, out = pptx.Presentation(), io.BytesIO()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "年度计划"
    slide.placeholders[1].text_frame.text = "扩大产能"
    slide.notes_slide.notes_text_frame.text = "讲慢一点"
    deck.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("make", "new", "old", "lines"),
    [
        (word, "docx", "doc", ["# 第一章 总则", "年假为十五天。", "| 研发部 | ￥3,400 |"]),
        (sheet, "xlsx", "xls", ["| 地区 | 计划 |", "| 华北 | 1,234.50 |", "## 隐藏 (hidden sheet)"]),
        (slides, "pptx", "ppt", ["# 年度计划", "扩大产能", "### Notes", "讲慢一点"]),
    ],
)
def test_words_headings_tables_and_notes(needs_program, monkeypatch, tmp_path, make, new, old, lines):
    pytest.importorskip("office_oxide")
    needs_program("soffice", "libreoffice-writer-nogui")
    given = tmp_path / f"a.{new}"
    given.write_bytes(make())
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", old, "--outdir", str(tmp_path), str(given)]
    subprocess.run(command, check=True, capture_output=True)
    monkeypatch.setattr(libreoffice, "_office", lambda: None)
    path = tmp_path / f"a.{old}"
    data = path.read_bytes()
    source = {"path": str(path), "doc_id": "a", "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    converter = MarkItDownConverter()
    result = converter.run(sources=[source])
    converter.close()
    assert result["failed"] == []
    shown = result["documents"][0].content
    assert [line for line in lines if line not in shown] == []
