import pytest

from khub.components.verify.statements import statements_of

pytestmark = pytest.mark.unit


def texts(document):
    return [statement.text for statement in statements_of(document)]


def test_sentences_and_list_items_with_wrapped_lines(passage):
    content = "## Loading\n\nPlace the load\nupright. It may be **high**.\n\n1. Remove the cause\n   of it.\n"
    content += "2. 按下\n按钮。\n"
    assert texts(passage(content)) == [
        "Place the load upright.",
        "It may be high.",
        "Remove the cause of it.",
        "按下按钮。",
    ]


def test_rows_name_their_columns_and_units(passage):
    head = "| Item | Price (EUR) | Warranty (months) |\n| --- | --- | --- |\n"
    table = f"{head}| Robot | 28400 | 24 |\n| Plate | 185 | none |\n"
    rows = statements_of(passage(table))
    assert [row.text for row in rows] == [
        "Item: Robot; Price: 28400 EUR; Warranty: 24 months",
        "Item: Plate; Price: 185 EUR; Warranty (months): none",
    ]
    assert rows[0].words == "Robot; 28400; 24"
    assert "Warranty (months)" in rows[0].about


def test_rows_of_a_table_that_was_cut_have_its_header(passage):
    header = "| Code | Meaning |\n| --- | --- |"
    assert texts(passage("| E-5 | clock |\n", table_header=header)) == ["Code: E-5; Meaning: clock"]
    assert texts(passage("| E-5 | clock |\n")) != ["Code: E-5; Meaning: clock"]


def test_context_is_title_headings_and_the_sentence_before(passage):
    found = statements_of(passage("First it waits. Then it goes.", title="Manual", section="A > B"))
    assert [(statement.about, statement.before) for statement in found] == [
        ("Manual\nA > B", ""),
        ("Manual\nA > B", "First it waits."),
    ]


def test_code_and_long_lines(passage):
    assert texts(passage("```bash\nsudo start\n```\n")) == ["sudo start"]
    assert [len(text) for text in texts(passage("字" * 1500))] == [600, 600, 300]
    assert texts(passage("")) == []
