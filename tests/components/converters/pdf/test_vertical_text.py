"""Chinese set in columns is read column by column, from right to left; rows of single characters are not."""

import pytest

pytestmark = pytest.mark.unit

COLUMNS = ["颱風警報發布後倉庫應", "關閉所有捲門並將電腦", "設備移至二樓由值班人", "員負責確認。"]


def column(page, x, y, text, size=14, step=16):
    for row, letter in enumerate(text):
        page.chinese(x, y - step * row, letter, size)
    return page


@pytest.mark.parametrize(("size", "step", "pitch"), [(14, 16, 24), (12, 12, 20), (10.5, 14, 18)])
def test_columns_are_read_from_right_to_left(new_page, read, size, step, pitch):
    page = new_page()
    for number, text in enumerate(COLUMNS):
        column(page, 480 - pitch * number, 700, text, size, step)
    assert "".join(COLUMNS) in read([page]).pages[0].replace("\n", "")


def test_columns_that_the_file_has_row_by_row(new_page, read):
    page = new_page()
    for row in range(10):
        for number, text in enumerate(COLUMNS):
            if row < len(text):
                page.chinese(480 - 30 * number, 700 - 16 * row, text[row], 14)
    assert "".join(COLUMNS) in read([page]).pages[0].replace("\n", "")


def test_a_title_beside_the_columns(new_page, read):
    page = column(new_page(), 520, 700, "倉庫管理辦法", 24, 28)
    for number, text in enumerate(COLUMNS):
        column(page, 470 - 24 * number, 700, text)
    page.text(290, 40, "17")
    text = read([page]).pages[0]
    assert text.startswith("# 倉庫管理辦法")
    assert "".join(COLUMNS) in text.replace("\n", "")
    assert "17" in text


def test_short_cells_of_a_table_are_no_columns(new_page, read):
    page = new_page()
    for row, name in enumerate(["王小明", "李小華", "張大同", "陳美麗", "林志玲"]):
        page.chinese(72, 700 - 16 * row, name, 12).chinese(200, 700 - 16 * row, "是", 12)
        page.chinese(300, 700 - 16 * row, "否", 12)
    text = read([page]).pages[0]
    assert "是是" not in text.replace(" ", "")
    assert text.index("王小明") < text.index("是") < text.index("李小華")
