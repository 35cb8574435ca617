"""Pages of real PDFs that were written down, and the halves that they belong to."""

import re

import pytest

from khub.eval.lab.documents.real.written_page import half_of, read_pages

pytestmark = pytest.mark.unit


def test_pages_are_enough_and_no_document_is_in_both_halves():
    pages = read_pages()
    halves = {half: [page for page in pages if page.half == half] for half in ("choose", "measure")}
    assert len(pages) >= 150
    assert sum(len(page.content.grids) for page in pages) >= 60
    assert all(len(of_half) > 60 for of_half in halves.values())
    assert not {page.document for page in halves["choose"]} & {page.document for page in halves["measure"]}


def test_each_row_of_a_table_has_as_many_cells_as_its_head():
    wrong = [
        f"{page.document} {page.number}"
        for page in read_pages()
        for grid in page.content.grids
        if len({len(row) for row in grid.rows}) > 1
    ]
    assert wrong == []


def test_chinese_and_english_are_in_both_halves():
    for half in ("choose", "measure"):
        texts = [part.text for page in read_pages() if page.half == half for part in page.content.headings]
        assert any(re.search("[\u4e00-\u9fff]", text) for text in texts)
        assert any(re.fullmatch("[ -~]+", text) for text in texts)


def test_a_half_is_drawn_by_the_name_alone():
    assert half_of("a") == half_of("a")
    assert {half_of(str(number)) for number in range(20)} == {"choose", "measure"}


def test_furniture_and_blocks_are_told_apart(tmp_path):
    (tmp_path / "report").mkdir()
    table = "| | 2025 |\n| --- | --- |\n| Sales of boats | 5 |\n"
    text = f"<!-- furniture: Annual report | 7 -->\n\n## Revenue\n\nRevenue grew in …\n\n{table}"
    (tmp_path / "report" / "7.md").write_text(text, encoding="utf-8")
    (tmp_path / "report" / "8.md").write_text("<!-- skipped: a picture -->\n", encoding="utf-8")
    (page,) = read_pages(tmp_path)
    assert (page.document, page.number, page.furniture) == ("report", 7, ("Annual report", "7"))
    assert page.anchors() == ["Revenue", "Revenue grew in", "Sales of boats"]
