"""Tables: drawn cells, cells that only stand in columns, and tables that a page break cuts."""

import itertools

import pytest

from khub.components.converters.pdf.layout import Ruling

pytestmark = pytest.mark.unit


def grid(xs, ys, without=()):
    """Rulings of a table; `without` names inner edges (kind, line, from) that are not drawn."""
    lines = []
    for y in ys:
        lines += [Ruling(a, y, b, y) for a, b in itertools.pairwise(xs) if ("h", y, a) not in without]
    for x in xs:
        lines += [Ruling(x, a, x, b) for a, b in itertools.pairwise(ys) if ("v", x, a) not in without]
    return lines


def tables(text):
    return [block.text for block in text.blocks if block.kind == "table"]


@pytest.fixture
def cells(seg):
    def run(xs, y, *texts, size=10, bold=False):
        return [seg(x, y, text, size, bold) for x, text in zip(xs, texts, strict=True) if text]

    return run


def test_ruled_table_with_a_cell_of_two_lines(lay_out, cells, seg):
    page = [
        *cells((75, 205), 114, "Name", "What it does"),
        *cells((75, 205), 134, "pump", "moves water from"),
        seg(205, 146, "here to there"),
    ]
    text = lay_out(page, rulings=grid((70, 200, 400), (100, 120, 150)))
    assert tables(text) == ["| Name | What it does |\n| --- | --- |\n| pump | moves water from here to there |"]


def test_a_merged_head_is_repeated_over_its_columns(lay_out, cells):
    page = [
        *cells((75, 205), 114, "Site", "Second year"),
        *cells((205, 305), 134, "mean", "max"),
        *cells((75, 205, 305), 154, "Mill", "4", "9"),
    ]
    lines = grid((70, 200, 300, 400), (100, 120, 140, 160), without={("v", 300, 100), ("h", 120, 70)})
    (table,) = tables(lay_out(page, rulings=lines))
    assert table.splitlines()[0] == "| Site | Second year mean | Second year max |"
    assert table.splitlines()[2:] == ["| Mill | 4 | 9 |"]


def test_a_frame_around_text_is_no_table(lay_out, prose):
    assert tables(lay_out(prose(72, 110, 4), rulings=grid((70, 560), (95, 170)))) == []


def test_unruled_table(lay_out, cells, prose):
    xs = (75, 200, 280, 360)
    rows = [
        ("Site", "Mean", "Low", "High"),
        ("Mill", "30.1", "2", "56"),
        ("Ford", "7.5", "", "91"),
        ("Weir", "4", "6", "3"),
    ]
    page = [part for number, row in enumerate(rows) for part in cells(xs, 300 + 16 * number, *row)]
    (table,) = tables(lay_out([*prose(), *page]))
    assert table.splitlines() == [
        "| Site | Mean | Low | High |",
        "| --- | --- | --- | --- |",
        "| Mill | 30.1 | 2 | 56 |",
        "| Ford | 7.5 |  | 91 |",
        "| Weir | 4 | 6 | 3 |",
    ]


def test_a_cell_over_two_lines_in_an_unruled_table(lay_out, cells, prose):
    xs = (75, 150, 400)
    page = [
        *cells(xs, 300, "No", "Cause", "Light"),
        *cells(xs, 320, "1", "no paper is left in", "red"),
        *cells(xs, 332, "", "the tray at all", ""),
        *cells(xs, 352, "2", "the lid is open", "red"),
        *cells(xs, 372, "3", "the head is hot", "off"),
    ]
    (table,) = tables(lay_out([*prose(), *page]))
    assert "| 1 | no paper is left in the tray at all | red |" in table
    assert "| 2 | the lid is open | red |" in table


def test_currency_signs_join_their_numbers(lay_out, cells, prose):
    xs = (75, 250, 270, 350, 370)
    rows = [
        ("", "", "2023", "", "2024"),
        ("Sales", "$", "192", "$", "163"),
        ("Costs", "", "170", "", "144"),
        ("Gain", "$", "22", "$", "19"),
    ]
    page = [part for number, row in enumerate(rows) for part in cells(xs, 300 + 16 * number, *row)]
    (table,) = tables(lay_out([*prose(), *page]))
    assert "| Sales | $192 | $163 |" in table
    assert "| Costs | 170 | 144 |" in table


def test_a_table_beside_running_text_over_two_columns(lay_out, cells, prose):
    xs = (72, 200, 290, 380, 470)
    rows = [[f"r{row}c{column}" for column in range(5)] for row in range(6)]
    page = prose(72, 100, 8, 200, start="Leftone") + prose(320, 100, 8, 200, start="Rightone")
    page += [part for number, row in enumerate(rows) for part in cells(xs, 215 + 14 * number, *row)]
    text = lay_out(page)
    (table,) = tables(text)
    assert table.splitlines()[0] == "| r0c0 | r0c1 | r0c2 | r0c3 | r0c4 |"
    assert len(table.splitlines()) == 7
    assert text.pages[0].index("Leftone") < text.pages[0].index("Rightone") < text.pages[0].index("r0c0")


def test_leaders_make_no_table(lay_out, seg):
    page = [seg(72, 100 + 14 * n, f"Chapter {n} {'. ' * 30}. {n}0") for n in range(1, 6)]
    text = lay_out(page)
    assert tables(text) == []
    assert len(text.pages[0].splitlines()) == 5


@pytest.mark.parametrize("ruled", [True, False])
def test_a_table_over_a_page_break_repeats_its_head(lay_out, cells, prose, ruled):
    xs = (75, 205, 305)

    def rows(top, *texts):
        return [part for number, row in enumerate(texts) for part in cells(xs, top + 14 + 20 * number, *row)]

    first = [*prose(), *rows(600, ("Name", "Price", "Stock"), *[(f"item {n}", f"{n}.50", str(n)) for n in range(7)])]
    second = [*rows(60, *[(f"item {n}", f"{n}.50", str(n)) for n in range(7, 12)]), *prose(72, 400)]
    lines = grid((70, 200, 300, 400), range(600, 780, 20)) if ruled else []
    more = grid((70, 200, 300, 400), range(60, 180, 20)) if ruled else []
    from khub.components.converters.pdf.layout import PageLayout
    from tests.components.converters.pdf.conftest import assemble

    pages = [PageLayout(0, 612, 792, first, lines), PageLayout(1, 612, 792, second, more)]
    one, other = tables(assemble(pages, []))
    assert one.splitlines()[0] == other.splitlines()[0] == "| Name | Price | Stock |"
    assert other.splitlines()[2] == "| item 7 | 7.50 | 7 |"
