"""Tables of figures: labels, and numbers that stand below each other, with nothing drawn but perhaps a line."""

import pytest

from khub.components.converters.pdf.layout import Ruling

pytestmark = pytest.mark.unit


def rows(text):
    """The rows of all tables as lists of cells, the lines below the heads left out."""
    lines = [line for block in text.blocks if block.kind == "table" for line in block.text.splitlines()]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "---" not in line]


def others(text):
    return [block.text.lstrip("# ") for block in text.blocks if block.kind != "table"]


@pytest.fixture
def line(seg):
    """A line of a table: its label, and its figures, which end at the same places in all lines."""

    def run(y, label, *figures, x=72.0, ends=(400.0, 480.0), bold=False):
        parts = [seg(x, y, label, bold=bold)] if label else []
        for end, figure in zip(ends, figures, strict=False):
            if figure:
                width = seg(0, y, figure, bold=bold).x1
                parts.append(seg(end - width, y, figure, bold=bold))
        return parts

    return run


def statement(line, y=200):
    return [
        *line(y, "", "2023", "2022"),
        *line(y + 14, "Sales of machines", "44,538", "37,403"),
        *line(y + 28, "Cost of sales", "(24,576)", "(21,162)"),
        *line(y + 42, "Gross profit", "19,962", "16,241"),
    ]


def test_each_line_with_numbers_is_a_row(lay_out, line, prose):
    text = lay_out([*prose(72, 100, 3), *statement(line), *prose(72, 300, 3)])
    assert rows(text) == [
        ["", "2023", "2022"],
        ["Sales of machines", "44,538", "37,403"],
        ["Cost of sales", "(24,576)", "(21,162)"],
        ["Gross profit", "19,962", "16,241"],
    ]


def test_a_centred_title_and_the_unit_stand_above_the_table(lay_out, line, prose, seg):
    page = [*prose(72, 60, 3), seg(222, 160, "BALANCE SHEETS", bold=True), seg(230, 176, "(in thousands)")]
    text = lay_out([*page, *statement(line), *prose(72, 300, 3)])
    assert {"BALANCE SHEETS", "(in thousands)"} <= set(others(text))
    assert rows(text)[0] == ["", "2023", "2022"]


def test_a_unit_above_the_last_column_alone_is_no_part_of_its_head(lay_out, line, prose):
    text = lay_out([*prose(72, 60, 3), *line(186, "", "", "Rupees in lacs"), *statement(line), *prose(72, 300, 3)])
    assert rows(text)[0] == ["", "2023", "2022"]
    assert "Rupees in lacs" in others(text)


def test_marks_and_words_in_place_of_a_figure_are_cells_of_their_own(lay_out, line, prose):
    page = [
        *line(200, "", "2023", "2022"),
        *line(214, "Sales of machines", "44,538", "37,403"),
        *line(228, "Growth", "26.5", "*"),
        *line(242, "Lent to others", "None", "Ref."),
        *line(256, "Gross profit", "19,962", "16,241"),
    ]
    found = rows(lay_out([*prose(72, 100, 3), *page, *prose(72, 320, 3)]))
    assert ["Growth", "26.5", "*"] in found
    assert ["Lent to others", "None", "Ref."] in found


def test_the_last_line_of_a_paragraph_is_no_row_though_it_ends_in_a_colon(lay_out, line, prose, seg):
    page = [*prose(72, 100, 3), seg(72, 136, "by what is due, in the order of years:")]
    page += [*line(152, "Due within a year", "853.0"), *line(166, "Due within two", "771.3")]
    page += [*line(180, "Due after three years", "284.6"), *prose(72, 300, 3)]
    text = lay_out(page)
    assert ["Due within two", "771.3"] in rows(text)
    assert not any("by what is due" in cell for row in rows(text) for cell in row)


def test_a_paragraph_between_two_tables_with_the_same_columns_stays_one(lay_out, line, prose, seg):
    middle = [
        seg(72, 262, "What was bought in the years before stands in the table below, of which none was sold"),
        *[],
    ]
    page = [*prose(72, 100, 3), *statement(line), *middle, *statement(line, 282), *prose(72, 400, 3)]
    text = lay_out(page)
    assert len(rows(text)) == 8
    assert not any("bought" in cell for row in rows(text) for cell in row)


def test_lines_of_prose_with_numbers_in_the_margin_are_no_table(lay_out, prose, seg):
    page = [part for n, part in enumerate(prose(72, 100, 12, width=380))]
    page += [seg(520, 100 + 12 * n, str(n + 3)) for n in range(12)]
    assert rows(lay_out(page)) == []


def test_contents_with_leaders_are_no_table(lay_out, line):
    titles = ["Business", "Risk factors", "Properties", "Legal matters"]
    page = [
        part for n, title in enumerate(titles) for part in line(200 + 14 * n, f"{title} {'.' * 40}", str(3 + 9 * n))
    ]
    assert rows(lay_out(page)) == []


def test_a_table_that_goes_on_below_a_gap_keeps_its_head(lay_out, line, prose):
    more = [
        *line(300, "Liabilities:"),
        *line(314, "Owed to banks", "5,120", "4,310"),
        *line(328, "All", "5,120", "4,310"),
    ]
    found = rows(lay_out([*prose(72, 100, 3), *statement(line), *more, *prose(72, 400, 3)]))
    assert found[0] == ["", "2023", "2022"]
    assert found[-1] == ["All", "5,120", "4,310"]
    assert [""] * 3 not in found


def test_a_label_hangs_under_its_first_line(lay_out, line, prose, seg):
    page = [
        *statement(line),
        *line(256, "American Indian and Alaska", "730", "55"),
        seg(80, 270, "Native"),
        *line(284, "Asian", "4,181", "192"),
    ]
    found = rows(lay_out([*prose(72, 100, 3), *page, *prose(72, 400, 3)]))
    assert ["American Indian and Alaska Native", "730", "55"] in found
    assert ["Asian", "4,181", "192"] in found


def test_heads_over_one_line_keep_their_columns(lay_out, line, prose, seg):
    drawn = [Ruling(360, 188, 482, 188), Ruling(360, 203, 482, 203)]
    page = [*prose(72, 100, 3), seg(385, 186, "Year ended"), *statement(line), *prose(72, 300, 3)]
    assert rows(lay_out(page, rulings=drawn))[0] == ["", "Year ended 2023", "Year ended 2022"]


def test_a_table_whose_labels_stand_left_of_a_coloured_background_is_whole(lay_out, line, prose):
    tops = [203, 217, 231, 245]
    drawn = [Ruling(350, y, 490, y) for y in tops] + [Ruling(x, 203, x, 245) for x in (350, 420, 490)]
    found = rows(lay_out([*prose(72, 100, 3), *statement(line), *prose(72, 300, 3)], rulings=drawn))
    assert ["Gross profit", "19,962", "16,241"] in found


def test_a_row_drawn_as_one_cell_is_read_by_its_columns(lay_out, seg):
    edges, tops = (70, 200, 300, 400), (100, 120, 140, 160)
    drawn = [Ruling(70, y, 400, y) for y in tops] + [Ruling(x, 100, x, 120) for x in edges]
    drawn += [Ruling(x, 120, x, 160) for x in (70, 400)]
    page = [seg(x, 114, text) for x, text in zip((75, 205, 305), ("Country", "Sample", "Size"), strict=True)]
    for y, texts in ((134, ("Austria", "single", "109")), (154, ("Spain", "single", "36"))):
        page += [seg(x, y, text) for x, text in zip((75, 205, 305), texts, strict=True)]
    found = rows(lay_out(page, rulings=drawn))
    assert ["Austria", "single", "109"] in found
    assert ["Spain", "single", "36"] in found


def test_dates_and_amounts_of_several_lines_between_two_rules_are_rows(lay_out, line, prose):
    ends = (330.0, 440.0, 520.0)
    page = [*line(200, "Declared in full", "Record date in full", "Paid on this day", "Per share", ends=ends)]
    for n, day in enumerate(("November 17, 2022", "February 16, 2023", "May 18, 2023")):
        page += line(220 + 14 * n, f"September {n + 1}, 2022", day, day, f"0.6{n}", ends=ends)
    drawn = [Ruling(72, y, 520, y) for y in (188, 206, 256)]
    found = rows(lay_out([*prose(72, 100, 3), *page, *prose(72, 300, 3)], rulings=drawn))
    assert ["September 2, 2022", "February 16, 2023", "February 16, 2023", "0.61"] in found


def test_no_line_is_lost_beside_a_column_that_is_no_table(lay_out, line, seg):
    uses = [
        "Research and product development",
        "Marketing of all of it, and sales",
        "Support of customers and of sales",
    ]
    page = []
    for n, use in enumerate(uses * 2):
        y = 200 + 24 * n
        page += [
            *line(y, f"{n} Park Avenue", f"39{n},000", ends=(290,)),
            seg(313, y, use),
            seg(72, y + 12, f"San Jose {n}"),
        ]
    text = lay_out(page)
    whole = " ".join(block.text for block in text.blocks)
    assert all(f"San Jose {n}" in whole for n in range(6))


def test_labels_that_happen_to_end_alike_are_rows(lay_out, line, prose):
    table = [
        *line(200, "", "2023", "2022"),
        *line(214, "2.300% Senior Notes due May 2022", "$800", "$800"),
        *line(228, "2.750% Senior Notes due May 2024", "1,000", "1,000"),
        *line(242, "Other long-term debt", "731", "857"),
    ]
    text = lay_out([*prose(72, 100, 3), *table, *prose(72, 300, 3)])
    assert rows(text)[:2] == [["", "2023", "2022"], ["2.300% Senior Notes due May 2022", "$800", "$800"]]
    assert len(rows(text)) == 4


def test_a_table_in_one_column_of_a_page_takes_no_words_of_the_other(lay_out, line, seg, prose):
    def column(x):
        return [*prose(x, 60, 12, width=200), *prose(x, 420, 12, width=200)]

    ends = (150.0, 200.0, 260.0)
    table = [
        *line(258, "doc", "bm25", "cosine", "score", ends=ends),
        *line(276, "P", "14.0", "0.47", "0.90", ends=ends),
        *line(300, "Q", "9.1", "0.72", "0.72", ends=ends),
        *line(324, "R", "11.2", "0.62", "0.16", ends=ends),
    ]
    beside = prose(330, 246, 8, width=200)
    text = lay_out([*column(72), *column(330), *table, *beside])
    words = {word for row in rows(text) for cell in row for word in cell.split()}
    figures = {"14.0", "0.47", "0.90", "9.1", "0.72", "11.2", "0.62", "0.16"}
    assert words <= {"doc", "bm25", "cosine", "score", "P", "Q", "R", *figures}
    assert ["P", "14.0", "0.47", "0.90"] in rows(text)
