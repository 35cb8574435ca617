import pytest

from khub.eval.lab.documents.evaluate import evaluate, join_tables, without_notes
from khub.eval.lab.documents.model import Cell, Document, Heading, Note, Paragraph, Style, Table
from khub.eval.lab.documents.read_markdown import read_markdown
from khub.eval.lab.documents.structure import Grid, Structure, Text

pytestmark = pytest.mark.unit
STYLE = Style(True, 10.0, 1, "", "", True, False, False)


def document(*blocks):
    return Document("d", "en", STYLE, blocks)


def table(ruling="grid"):
    return Table("Table 1: T", ((Cell("a"), Cell("b")),), ((Cell("1"), Cell("2")),), frozenset(), ruling)


SMALL = document(Heading(1, "Title"), Paragraph(("Fact.", Note(1, "A note of it."), " More.")), table("none"))


def test_a_perfect_reader():
    text = "# Title\n\nFact.[^1] More.\n\nTable 1: T\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n[^1]: A note of it.\n"
    assert evaluate(SMALL, text) == {
        "headings": 1,
        "order": 1,
        "tables": [{"similarity": 1, "ruled": False, "ruling": "none", "kind": "plain"}],
        "tables_found": 1,
        "notes": 1,
        "notes_found": 1,
    }


def test_nothing_read():
    made = evaluate(SMALL, "")
    assert (made["headings"], made["order"], made["tables"][0]["similarity"]) == (0, 0, 0)
    assert (made["tables_found"], made["notes_found"]) == (0, 0)


@pytest.mark.parametrize("mark", ["1 ", "1. ", "[1] ", "^1 ", "1", ""])
def test_a_note_is_cut_out_wherever_it_stands(mark):
    found = Structure((Text(f"before {mark}A note of  it. after"), Text("last")))
    rest, count = without_notes(found, ("A note of it.",))
    assert [part.text for part in rest.parts] == ["before after", "last"]
    assert count == 1


def test_a_paragraph_that_is_only_a_note_goes():
    rest, count = without_notes(Structure((Text("a"), Text("1 Note."))), ("Note.", "Another."))
    assert rest.parts == (Text("a"),)
    assert count == 1


def test_parts_of_a_table_are_joined_when_the_head_is_repeated():
    one = "| a | b |\n|--|--|\n| 1 | 2 |\n"
    two = "\n| a | b |\n|--|--|\n| 3 | 4 |\n"
    assert len(read_joined(one + two).grids) == 1
    assert [cell.text for row in read_joined(one + two).grids[0].rows for cell in row] == list("ab1234")
    assert len(read_joined(one + "\ntext\n" + two).grids) == 2
    assert len(read_joined(one + two.replace("a", "c")).grids) == 2


def read_joined(markdown):
    return join_tables(read_markdown(markdown))


def test_a_head_of_two_rows_is_dropped_as_a_whole():
    head = ((Cell("h"), Cell("g", 2)), (Cell("x"), Cell("y")))
    one, two = (Grid((*head, (Cell("1"), Cell("2"), Cell(number)))) for number in "34")
    assert join_tables(Structure((one, two))).grids == [Grid((*one.rows, two.rows[2]))]
